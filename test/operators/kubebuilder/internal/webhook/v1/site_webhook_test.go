package v1

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	webv1 "example.com/site-operator/api/v1"
	webv2 "example.com/site-operator/api/v2"
)

var _ = Describe("Site Webhook", func() {
	var site *webv1.Site
	BeforeEach(func() {
		warned.take()
		site = &webv1.Site{
			ObjectMeta: metav1.ObjectMeta{Name: "shop", Namespace: "default"},
			Spec:       webv1.SiteSpec{Host: "shop.example.com", Port: 443, Paths: []string{"/"}},
		}
	})
	AfterEach(func() {
		Expect(client.IgnoreNotFound(k8sClient.Delete(ctx, site))).To(Succeed())
	})

	Context("When creating Site under Defaulting Webhook", func() {
		It("Should set the replicas", func() {
			Expect(k8sClient.Create(ctx, site)).To(Succeed())
			Expect(site.Spec.Replicas).To(HaveValue(BeEquivalentTo(2)))
			record("defaulted", site)
		})
		It("Should keep what is there", func() {
			site.Spec.Replicas = ptr.To[int32](0)
			Expect(k8sClient.Create(ctx, site)).To(Succeed())
			Expect(site.Spec.Replicas).To(HaveValue(BeEquivalentTo(0)))
		})
		It("Should be asked in a dry run, too", func() {
			Expect(k8sClient.Create(ctx, site, client.DryRunAll)).To(Succeed())
			Expect(site.Spec.Replicas).To(HaveValue(BeEquivalentTo(2)))
			Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(site), site)).NotTo(Succeed())
		})
	})

	Context("When creating or updating Site under Validating Webhook", func() {
		It("Should deny creation if the host is reserved and there are too many replicas", func() {
			site.Spec.Host = "shop.invalid"
			site.Spec.Replicas = ptr.To[int32](6)
			err := k8sClient.Create(ctx, site)
			Expect(err).To(HaveOccurred())
			record("denied create", err)
		})
		It("Should deny an update, and leave the object alone", func() {
			Expect(k8sClient.Create(ctx, site)).To(Succeed())
			before := site.ResourceVersion
			changed := site.DeepCopy()
			changed.Spec.Replicas = ptr.To[int32](9)
			err := k8sClient.Update(ctx, changed)
			Expect(err).To(HaveOccurred())
			record("denied update", err)
			Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(site), site)).To(Succeed())
			Expect(site.ResourceVersion).To(Equal(before))
		})
		It("Should deny deletion of a Site that is kept", func() {
			site.Annotations = map[string]string{"web.example.com/keep": "true"}
			Expect(k8sClient.Create(ctx, site)).To(Succeed())
			err := k8sClient.Delete(ctx, site)
			Expect(err).To(HaveOccurred())
			record("denied delete", err)
			patch := []byte(`{"metadata":{"annotations":null}}`)
			Expect(k8sClient.Patch(ctx, site, client.RawPatch("application/merge-patch+json", patch))).To(Succeed())
		})
		It("Should warn of port 80", func() {
			site.Spec.Port = 80
			Expect(k8sClient.Create(ctx, site)).To(Succeed())
			texts := warned.take()
			Expect(texts).To(ContainElement("port 80 is not encrypted"))
			record("warnings", texts)
		})
	})

	Context("When a Site is used at another version", func() {
		It("Should be converted from v1 to v2", func() {
			Expect(k8sClient.Create(ctx, site)).To(Succeed())
			var read webv2.Site
			Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(site), &read)).To(Succeed())
			Expect(read.Spec.Address).To(Equal("shop.example.com:443"))
			record("as v2", &read)
			var list webv2.SiteList
			Expect(k8sClient.List(ctx, &list)).To(Succeed())
			Expect(list.Items).To(HaveLen(1))
			record("list of v2", &list.Items[0])
		})
		It("Should be converted from v2 to v1, for webhooks that ask for v1 too", func() {
			other := &webv2.Site{
				ObjectMeta: metav1.ObjectMeta{Name: "shop", Namespace: "default"},
				Spec:       webv2.SiteSpec{Address: "shop.example.com:8443", Pages: []webv2.Page{{Path: "/a"}, {Path: "/b"}}},
			}
			Expect(k8sClient.Create(ctx, other)).To(Succeed())
			Expect(other.Spec.Replicas).To(HaveValue(BeEquivalentTo(2)))
			record("created as v2", other)
			Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(site), site)).To(Succeed())
			Expect(site.Spec.Port).To(BeEquivalentTo(8443))
			record("as v1", site)

			other.Spec.Address = "shop.invalid:8443"
			err := k8sClient.Update(ctx, other)
			Expect(err).To(HaveOccurred())
			record("denied as v2", err)
		})
		It("Should take patches and a status as v2", func() {
			Expect(k8sClient.Create(ctx, site)).To(Succeed())
			other := &webv2.Site{ObjectMeta: metav1.ObjectMeta{Name: "shop", Namespace: "default"}}
			patch := []byte(`{"spec":{"pages":[{"path":"/patched"}]}}`)
			Expect(k8sClient.Patch(ctx, other, client.RawPatch("application/merge-patch+json", patch))).To(Succeed())
			other.Status.URL = "https://shop.example.com"
			meta.SetStatusCondition(&other.Status.Conditions, metav1.Condition{
				Type: "Available", Status: metav1.ConditionTrue, Reason: "Told", Message: "as v2",
			})
			Expect(k8sClient.Status().Update(ctx, other)).To(Succeed())
			Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(site), site)).To(Succeed())
			Expect(site.Spec.Paths).To(ConsistOf("/patched"))
			Expect(site.Status.URL).To(Equal("https://shop.example.com"))
			record("patched as v2", site)
		})
		It("Should be watched as v2", func() {
			watcher, err := client.NewWithWatch(cfg, client.Options{Scheme: scheme.Scheme})
			Expect(err).NotTo(HaveOccurred())
			events, err := watcher.Watch(ctx, &webv2.SiteList{}, client.InNamespace("default"))
			Expect(err).NotTo(HaveOccurred())
			defer events.Stop()
			Expect(k8sClient.Create(ctx, site)).To(Succeed())
			Expect(k8sClient.Delete(ctx, site)).To(Succeed())
			for _, wanted := range []watch.EventType{watch.Added, watch.Deleted} {
				var event watch.Event
				Eventually(events.ResultChan()).Should(Receive(&event))
				Expect(event.Type).To(Equal(wanted))
				Expect(event.Object.(*webv2.Site).Spec.Address).To(Equal("shop.example.com:443"))
				record(string(wanted), event.Object)
			}
		})
		It("Should be refused where the conversion fails", func() {
			other := &webv2.Site{
				ObjectMeta: metav1.ObjectMeta{Name: "shop", Namespace: "default"},
				Spec:       webv2.SiteSpec{Address: "shop.example.com:99999999999"},
			}
			err := k8sClient.Create(ctx, other)
			Expect(err).To(HaveOccurred())
			record("not converted", err)
		})
	})
})
