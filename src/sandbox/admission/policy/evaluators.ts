/** All that evaluates policies; loaded when one is in force. */
export { evaluateMutation, MutationError, mutatingEvaluator } from "./mutating-evaluator.ts";
export { evaluateValidations, validatingEvaluator } from "./validating-evaluator.ts";
