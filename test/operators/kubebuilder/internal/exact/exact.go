// Package exact names the reconcile in each request that it makes, for `kubectl reconcile … -- COMMAND`.
package exact

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

type named struct{}

type transport struct{ inner http.RoundTripper }

// Wrap is for the configuration that the manager is made of: config.Wrap(exact.Wrap).
func Wrap(inner http.RoundTripper) http.RoundTripper { return transport{inner} }

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if header, ok := request.Context().Value(named{}).(string); ok {
		request = request.Clone(request.Context())
		request.Header.Set("Reconcile", header)
	}
	return t.inner.RoundTrip(request)
}

// Reconciler is for the builder: Complete(exact.Reconciler("site", r)).
func Reconciler(name string, inner reconcile.Reconciler) reconcile.Reconciler {
	if os.Getenv("KUBECTL_RECONCILE_EXACT") == "" {
		return inner
	}
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		header := fmt.Sprintf("controller=%s; object=%s; id=%s", name, request, controller.ReconcileIDFromContext(ctx))
		return inner.Reconcile(context.WithValue(ctx, named{}, header), request)
	})
}
