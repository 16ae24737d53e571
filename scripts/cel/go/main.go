// Evaluates expressions and schema rules with Kubernetes' own CEL: reads one case per line as JSON from standard input, and writes its
// answer as a line of JSON to standard output. Built by scripts/cel/oracle.ts inside the module of scripts/control-plane/kubernetes.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

type question struct {
	// An expression, with the schema of self and oldSelf if it has such variables.
	Expression string          `json:"expression"`
	Schema     json.RawMessage `json:"schema"`
	Self       json.RawMessage `json:"self"`
	OldSelf    json.RawMessage `json:"oldSelf"`
	// The schema of a CustomResourceDefinition with rules, and objects to validate against them.
	Rules   json.RawMessage `json:"rules"`
	Objects []struct {
		Object json.RawMessage `json:"object"`
		Old    json.RawMessage `json:"old"`
	} `json:"objects"`
}

type answer struct {
	Issues       string   `json:"issues,omitempty"`
	Type         string   `json:"type,omitempty"`
	Estimate     []string `json:"estimate,omitempty"`
	ProgramError string   `json:"programError,omitempty"`
	Value        string   `json:"value,omitempty"`
	Error        string   `json:"error,omitempty"`
	Cost         *uint64  `json:"cost,omitempty"`
	// For rules: the errors of the schema, and of each object.
	SchemaErrors []string    `json:"schemaErrors,omitempty"`
	Verdicts     [][]string  `json:"verdicts,omitempty"`
	Problem      string      `json:"problem,omitempty"`
}

var base = environment.MustBaseEnvSet(version.MajorMinor(1, 36))
var scheme = runtime.NewScheme()
var decoder runtime.Decoder

func main() {
	install.Install(scheme)
	decoder = serializer.NewCodecFactory(scheme).UniversalDecoder(apiextensions.SchemeGroupVersion)
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var q question
			var a answer
			if err := json.Unmarshal(line, &q); err != nil {
				a.Problem = err.Error()
			} else {
				a = answered(q)
			}
			encoder := json.NewEncoder(out)
			encoder.SetEscapeHTML(false)
			if err := encoder.Encode(a); err != nil {
				panic(err)
			}
			out.Flush()
		}
		if err != nil {
			return
		}
	}
}

func answered(q question) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a = answer{Problem: fmt.Sprintf("panic: %v", r)}
		}
	}()
	if q.Rules != nil {
		return judged(q)
	}
	return evaluated(q)
}

type sizes struct{ root *apiservercel.DeclType }

func (s *sizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	if len(element.Path()) == 0 {
		return nil
	}
	node := s.root
	for _, name := range element.Path()[1:] {
		switch name {
		case "@items", "@values":
			node = node.ElemType
		case "@keys":
			node = node.KeyType
		default:
			field, ok := node.Fields[name]
			if !ok {
				return nil
			}
			node = field.Type
		}
		if node == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(node.MaxElements)}
}

func (s *sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

func structuralOf(raw json.RawMessage) (*structuralschema.Structural, *apiextensions.CustomResourceDefinition, error) {
	crd := map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "things.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced",
			"names":    map[string]any{"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": raw}}},
		},
	}
	text, err := json.Marshal(crd)
	if err != nil {
		return nil, nil, err
	}
	object, _, err := decoder.Decode(text, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	internal := object.(*apiextensions.CustomResourceDefinition)
	schema := internal.Spec.Validation
	if schema == nil {
		schema = internal.Spec.Versions[0].Schema
	}
	structural, err := structuralschema.NewStructural(schema.OpenAPIV3Schema)
	return structural, internal, err
}

func plain(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	var value any
	if err := utiljson.Unmarshal(raw, &value); err != nil {
		panic(err)
	}
	return value
}

func evaluated(q question) answer {
	env := base
	variables := map[string]any{}
	estimator := &library.CostEstimator{}
	if q.Schema != nil {
		structural, _, err := structuralOf(q.Schema)
		if err != nil {
			return answer{Problem: err.Error()}
		}
		// As at the root of a resource: apiVersion, kind and metadata are present.
		declared := model.SchemaDeclType(structural, true)
		scoped := declared.MaybeAssignTypeName("selfType")
		env, err = base.Extend(environment.VersionedOptions{
			IntroducedVersion: version.MajorMinor(1, 0),
			EnvOptions:        []cel.EnvOption{cel.Variable("self", scoped.CelType()), cel.Variable("oldSelf", scoped.CelType())},
			DeclTypes:         []*apiservercel.DeclType{scoped},
		})
		if err != nil {
			return answer{Problem: err.Error()}
		}
		estimator.SizeEstimator = &sizes{root: declared}
		rooted := model.WithTypeAndObjectMeta(structural)
		if q.Self != nil {
			variables["self"] = schemacel.UnstructuredToVal(plain(q.Self), rooted)
		}
		if q.OldSelf != nil {
			variables["oldSelf"] = schemacel.UnstructuredToVal(plain(q.OldSelf), rooted)
		}
	}
	compiler := env.NewExpressionsEnv()
	ast, issues := compiler.Compile(q.Expression)
	if issues != nil && issues.Err() != nil {
		return answer{Issues: issues.String()}
	}
	a := answer{Type: cel.FormatCELType(ast.OutputType())}
	estimate, err := compiler.EstimateCost(ast, estimator)
	if err != nil {
		return answer{Problem: err.Error()}
	}
	a.Estimate = []string{strconv.FormatUint(estimate.Min, 10), strconv.FormatUint(estimate.Max, 10)}
	program, err := compiler.Program(ast, cel.CostLimit(celconfig.PerCallLimit), cel.CostTracking(estimator),
		cel.InterruptCheckFrequency(celconfig.CheckFrequency))
	if err != nil {
		a.ProgramError = err.Error()
		return a
	}
	value, details, err := program.ContextEval(context.Background(), variables)
	if details != nil {
		a.Cost = details.ActualCost()
	}
	if err != nil {
		a.Error = err.Error()
	} else {
		a.Value = shown(value)
	}
	return a
}

func quoted(text string) string {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(buffer.String(), "\n")
}

// shown formats a value as text, with its type.
func shown(value ref.Val) string {
	switch v := value.(type) {
	case types.Bool:
		return strconv.FormatBool(bool(v))
	case types.Int:
		return strconv.FormatInt(int64(v), 10)
	case types.Uint:
		return strconv.FormatUint(uint64(v), 10) + "u"
	case types.Double:
		return "double " + strconv.FormatFloat(float64(v), 'g', -1, 64)
	case types.String:
		return quoted(string(v))
	case types.Bytes:
		return fmt.Sprintf("bytes %x", []byte(v))
	case types.Null:
		return "null"
	case types.Timestamp:
		return "timestamp " + v.Time.Format(time.RFC3339Nano)
	case types.Duration:
		return fmt.Sprintf("duration %dns", int64(v.Duration))
	case *types.Optional:
		if v.HasValue() {
			return "optional(" + shown(v.GetValue()) + ")"
		}
		return "optional.none()"
	case *types.Type:
		return "type " + v.TypeName()
	case apiservercel.URL:
		return "url " + v.URL.String()
	case apiservercel.IP:
		return "ip " + v.Addr.String()
	case apiservercel.CIDR:
		return "cidr " + v.Prefix.String()
	case apiservercel.Quantity:
		return "quantity " + v.Quantity.String()
	case *apiservercel.Quantity:
		return "quantity " + v.Quantity.String()
	case apiservercel.Semver:
		return "semver " + v.Version.String()
	case apiservercel.Format:
		return "format " + v.Name
	case traits.Lister:
		items := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			items = append(items, shown(it.Next()))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case traits.Mapper:
		entries := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			if key == nil {
				continue
			}
			entries = append(entries, shown(key)+": "+shown(v.Get(key)))
		}
		sort.Strings(entries)
		return "{" + strings.Join(entries, ", ") + "}"
	case *types.Err:
		return "error " + v.Error()
	}
	return fmt.Sprintf("%T", value)
}

func judged(q question) answer {
	structural, crd, err := structuralOf(q.Rules)
	if err != nil {
		return answer{SchemaErrors: []string{err.Error()}}
	}
	a := answer{}
	for _, e := range validation.ValidateCustomResourceDefinition(context.Background(), crd) {
		a.SchemaErrors = append(a.SchemaErrors, e.Error())
	}
	sort.Strings(a.SchemaErrors)
	validator := schemacel.NewValidator(structural, true, celconfig.PerCallLimit)
	for _, o := range q.Objects {
		object, old := plain(o.Object), plain(o.Old)
		said := []string{}
		if validator != nil {
			options := []schemacel.Option{}
			if old != nil {
				options = append(options, schemacel.WithRatcheting(common.NewCorrelatedObject(object, old, &model.Structural{Structural: structural})))
			}
			errs, budget := validator.Validate(context.Background(), nil, structural, object, old, celconfig.RuntimeCELCostBudget, options...)
			for _, e := range errs {
				said = append(said, string(e.Type)+" "+e.Error())
			}
			sort.Strings(said)
			said = append(said, fmt.Sprintf("budget left: %d", budget))
		}
		a.Verdicts = append(a.Verdicts, said)
	}
	return a
}

var _ interpreter.Activation
