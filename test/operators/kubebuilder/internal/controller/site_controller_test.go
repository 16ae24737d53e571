package controller

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	webv1 "example.com/site-operator/api/v1"
)

func newSite(name string) *webv1.Site {
	return &webv1.Site{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec:       webv1.SiteSpec{Host: name + ".example.com", Paths: []string{"/", "/about"}},
	}
}

var _ = Describe("Site Controller", func() {
	Context("When reconciling a resource", Ordered, func() {
		key := types.NamespacedName{Name: "reconciled", Namespace: "default"}
		pagesKey := types.NamespacedName{Name: "reconciled-pages", Namespace: "default"}
		reconcileOnce := func() {
			GinkgoHelper()
			reconciler := &SiteReconciler{Client: k8sClient, Scheme: k8sClient.Scheme()}
			_, err := reconciler.Reconcile(ctx, reconcile.Request{NamespacedName: key})
			Expect(err).NotTo(HaveOccurred())
		}

		BeforeAll(func() {
			Expect(k8sClient.Create(ctx, newSite(key.Name))).To(Succeed())
		})

		It("adds its finalizer, makes the pages and says where the site is", func() {
			reconcileOnce()
			var site webv1.Site
			Expect(k8sClient.Get(ctx, key, &site)).To(Succeed())
			Expect(site.Finalizers).To(ConsistOf(finalizer))
			Expect(site.Status.URL).To(Equal("http://reconciled.example.com:80"))
			Expect(meta.IsStatusConditionTrue(site.Status.Conditions, "Available")).To(BeTrue())
			var pages corev1.ConfigMap
			Expect(k8sClient.Get(ctx, pagesKey, &pages)).To(Succeed())
			Expect(metav1.IsControlledBy(&pages, &site)).To(BeTrue())
			record("site", &site)
			record("pages", &pages)
		})

		It("writes nothing when nothing has changed", func() {
			var before, after webv1.Site
			Expect(k8sClient.Get(ctx, key, &before)).To(Succeed())
			reconcileOnce()
			Expect(k8sClient.Get(ctx, key, &after)).To(Succeed())
			Expect(after.ResourceVersion).To(Equal(before.ResourceVersion))
		})

		It("holds a deleted Site until its pages are gone", func() {
			Expect(k8sClient.Delete(ctx, newSite(key.Name))).To(Succeed())
			var site webv1.Site
			Expect(k8sClient.Get(ctx, key, &site)).To(Succeed())
			Expect(site.DeletionTimestamp).NotTo(BeNil())
			record("deleted site", &site)
			reconcileOnce()
			err := k8sClient.Get(ctx, key, &site)
			Expect(apierrors.IsNotFound(err)).To(BeTrue())
			record("site is gone", err)
			err = k8sClient.Get(ctx, pagesKey, &corev1.ConfigMap{})
			Expect(apierrors.IsNotFound(err)).To(BeTrue())
		})
	})

	Context("When it runs in a manager", Ordered, func() {
		key := types.NamespacedName{Name: "managed", Namespace: "default"}
		var stop context.CancelFunc
		var stopped chan error
		served := func(wanted webv1.SiteStatus) func(Gomega) {
			return func(g Gomega) {
				var site webv1.Site
				g.Expect(k8sClient.Get(ctx, key, &site)).To(Succeed())
				g.Expect(site.Status.ObservedGeneration).To(Equal(site.Generation))
				g.Expect(site.Status.Replicas).To(Equal(wanted.Replicas))
			}
		}

		BeforeAll(func() {
			mgr, err := ctrl.NewManager(cfg, ctrl.Options{
				Scheme:  scheme.Scheme,
				Metrics: metricsserver.Options{BindAddress: "0"},
			})
			Expect(err).NotTo(HaveOccurred())
			Expect((&SiteReconciler{Client: mgr.GetClient(), Scheme: mgr.GetScheme()}).SetupWithManager(mgr)).To(Succeed())
			var running context.Context
			running, stop = context.WithCancel(ctx)
			stopped = make(chan error, 1)
			go func() { stopped <- mgr.Start(running) }()
		})
		AfterAll(func() {
			stop()
			Eventually(stopped).Should(Receive(BeNil()))
		})

		It("follows what others write: a create, server-side apply, a scale", func() {
			Expect(k8sClient.Create(ctx, newSite(key.Name))).To(Succeed())
			Eventually(served(webv1.SiteStatus{Replicas: 1})).Should(Succeed())

			applied := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "web.example.com/v1", "kind": "Site",
				"metadata": map[string]any{"name": key.Name, "namespace": key.Namespace},
				"spec":     map[string]any{"host": "managed.example.com", "paths": []any{"/applied"}, "replicas": int64(3)},
			}}
			Expect(k8sClient.Apply(ctx, client.ApplyConfigurationFromUnstructured(applied), client.FieldOwner("gitops"))).To(Succeed())
			Eventually(served(webv1.SiteStatus{Replicas: 3})).Should(Succeed())

			scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 4}}
			Expect(k8sClient.SubResource("scale").Update(ctx, newSite(key.Name), client.WithSubResourceBody(scale))).To(Succeed())
			Eventually(served(webv1.SiteStatus{Replicas: 4})).Should(Succeed())

			var site webv1.Site
			Expect(k8sClient.Get(ctx, key, &site)).To(Succeed())
			Expect(site.Spec.Paths).To(ConsistOf("/", "/about", "/applied"))
			record("site", &site)
			var read autoscalingv1.Scale
			Expect(k8sClient.SubResource("scale").Get(ctx, &site, &read)).To(Succeed())
			record("scale", &read)
		})

		It("tells managers that disagree", func() {
			applied := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "web.example.com/v1", "kind": "Site",
				"metadata": map[string]any{"name": key.Name, "namespace": key.Namespace},
				"spec":     map[string]any{"host": "managed.example.com", "replicas": int64(5)},
			}}
			err := k8sClient.Apply(ctx, client.ApplyConfigurationFromUnstructured(applied), client.FieldOwner("helm"))
			Expect(apierrors.IsConflict(err)).To(BeTrue())
			record("conflict of applies", err)

			var site webv1.Site
			Expect(k8sClient.Get(ctx, key, &site)).To(Succeed())
			site.ResourceVersion = "1"
			err = k8sClient.Update(ctx, &site)
			Expect(apierrors.IsConflict(err)).To(BeTrue())
			record("conflict of updates", err)
		})

		It("is found by its selectable field, and deleted with its pages", func() {
			var found webv1.SiteList
			Expect(k8sClient.List(ctx, &found, client.MatchingFields{"spec.host": "managed.example.com"})).To(Succeed())
			Expect(found.Items).To(HaveLen(1))
			Expect(k8sClient.DeleteAllOf(ctx, &webv1.Site{}, client.InNamespace("default"))).To(Succeed())
			Eventually(func(g Gomega) {
				g.Expect(k8sClient.List(ctx, &found)).To(Succeed())
				g.Expect(found.Items).To(BeEmpty())
			}).Should(Succeed())
			var pages corev1.ConfigMap
			err := k8sClient.Get(ctx, types.NamespacedName{Name: "managed-pages", Namespace: "default"}, &pages)
			Expect(apierrors.IsNotFound(err)).To(BeTrue())
		})
	})

	Context("When a Site breaks the rules of its schema", func() {
		DescribeTable("it is refused", func(name string, change func(*webv1.Site)) {
			site := newSite(name)
			change(site)
			err := k8sClient.Create(ctx, site)
			Expect(apierrors.IsInvalid(err)).To(BeTrue())
			record(name, err)
		},
			Entry("for a port that is none", "no-port", func(site *webv1.Site) { site.Spec.Port = 70000 }),
			Entry("without a host", "no-host", func(site *webv1.Site) { site.Spec.Host = "" }),
			Entry("for a path twice", "twice", func(site *webv1.Site) { site.Spec.Paths = []string{"/a", "/a"} }),
			Entry("by a rule in CEL", "no-slash", func(site *webv1.Site) { site.Spec.Paths = []string{"about"} }),
			Entry("for a name that is none", "No_Name", func(*webv1.Site) {}),
		)

		It("is refused by a transition rule", func() {
			site := newSite("moving")
			Expect(k8sClient.Create(ctx, site)).To(Succeed())
			site.Spec.Host = "elsewhere.example.com"
			err := k8sClient.Update(ctx, site)
			Expect(apierrors.IsInvalid(err)).To(BeTrue())
			record("moved", err)
			Expect(k8sClient.Delete(ctx, site)).To(Succeed())
		})
	})
})
