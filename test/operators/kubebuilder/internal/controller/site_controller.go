package controller

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	webv1 "example.com/site-operator/api/v1"
	"example.com/site-operator/internal/exact"
)

// finalizer holds a Site until its ConfigMap is gone.
const finalizer = "web.example.com/pages"

// SiteReconciler reconciles a Site object.
type SiteReconciler struct {
	client.Client
	Scheme *runtime.Scheme
}

// +kubebuilder:rbac:groups=web.example.com,resources=sites,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=web.example.com,resources=sites/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=web.example.com,resources=sites/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;update;patch;delete

// Reconcile keeps a ConfigMap with a page for each path of a Site, and says in the Site's status where it is served.
func (r *SiteReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	log := logf.FromContext(ctx)
	var site webv1.Site
	if err := r.Get(ctx, req.NamespacedName, &site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !site.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.cleanUp(ctx, &site)
	}
	if controllerutil.AddFinalizer(&site, finalizer) {
		if err := r.Update(ctx, &site); err != nil {
			return ctrl.Result{}, err
		}
	}
	pages := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name + "-pages"}}
	done, err := controllerutil.CreateOrUpdate(ctx, r.Client, pages, func() error {
		pages.Data = map[string]string{}
		for _, path := range site.Spec.Paths {
			pages.Data["page"+strings.ReplaceAll(path, "/", ".")] = fmt.Sprintf("%s%s", site.Spec.Host, path)
		}
		return ctrl.SetControllerReference(&site, pages, r.Scheme)
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	log.V(1).Info("pages", "operation", done)

	site.Status.URL = fmt.Sprintf("http://%s:%d", site.Spec.Host, site.Spec.Port)
	site.Status.Replicas = ptr.Deref(site.Spec.Replicas, 1)
	site.Status.ObservedGeneration = site.Generation
	meta.SetStatusCondition(&site.Status.Conditions, metav1.Condition{
		Type: "Available", Status: metav1.ConditionTrue, Reason: "Served",
		Message: fmt.Sprintf("%d pages", len(site.Spec.Paths)), ObservedGeneration: site.Generation,
	})
	return ctrl.Result{}, r.Status().Update(ctx, &site)
}

// cleanUp does what the garbage collector does in a cluster: envtest has none.
func (r *SiteReconciler) cleanUp(ctx context.Context, site *webv1.Site) error {
	pages := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name + "-pages"}}
	if err := r.Delete(ctx, pages); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	if !controllerutil.RemoveFinalizer(site, finalizer) {
		return nil
	}
	return r.Update(ctx, site)
}

// SetupWithManager sets up the controller with the Manager.
func (r *SiteReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&webv1.Site{}).
		Owns(&corev1.ConfigMap{}).
		Named("site").
		Complete(exact.Reconciler("site", r))
}
