#!/usr/bin/env bash
# Waits at most 60 s until the kube-apiserver of the cluster in DIR is ready; exits 1 with its last output if it is not.
# usage: wait-ready.sh DIR
cd "$1" || exit 1
kubectl=$(dirname "$(awk '{print $2}' kube-apiserver.command)")/kubectl
pid=$(awk '$2 == "kube-apiserver" {print $1}' pids)
for _ in $(seq 600); do
  [ "$("$kubectl" --kubeconfig kubeconfig get --raw /readyz --request-timeout=2s 2>/dev/null)" = ok ] && exit 0
  kill -0 "$pid" 2>/dev/null || break
  sleep 0.1
done
echo "kube-apiserver is not ready in $1" >&2
tail -n 3 etcd.log kube-apiserver.log >&2
exit 1
