// A typical operator with the most common mistake: each reconcile writes the time into an owned object, and each such write triggers the
// next reconcile. A ConfigMap labelled `tenant=true` gets a Deployment with its name; its `data.stamp` says where the time is written: into
// an annotation of the Deployment (`object`), or of the pod template (`template`), which is an endless rollout.
//
// Nothing in it is tuned: informers, a rate limited queue and client-go's own limits (5 requests a second). It exits when its standard
// input ends, and after five minutes in any case.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

const stampKey = "operator/last-reconcile"

type operator struct {
	client      kubernetes.Interface
	tenants     corelisters.ConfigMapLister
	deployments appslisters.DeploymentLister
	queue       workqueue.TypedRateLimitingInterface[cache.ObjectName]
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		log.Fatal(err)
	}
	client := kubernetes.NewForConfigOrDie(config)
	factory := informers.NewSharedInformerFactory(client, 0)
	tenants, deployments := factory.Core().V1().ConfigMaps(), factory.Apps().V1().Deployments()
	op := &operator{
		client:      client,
		tenants:     tenants.Lister(),
		deployments: deployments.Lister(),
		queue:       workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]()),
	}
	for _, informer := range []cache.SharedIndexInformer{tenants.Informer(), deployments.Informer()} {
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    op.enqueue,
			UpdateFunc: func(_, object any) { op.enqueue(object) },
			DeleteFunc: op.enqueue,
		}); err != nil {
			log.Fatal(err)
		}
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	go func() {
		<-ctx.Done()
		op.queue.ShutDown()
	}()
	for op.next(ctx) {
	}
}

// A tenant has the same name as the object it owns, so one key is enough for both.
func (op *operator) enqueue(object any) {
	if key, err := cache.DeletionHandlingObjectToName(object); err == nil {
		op.queue.Add(key)
	}
}

func (op *operator) next(ctx context.Context) bool {
	key, quit := op.queue.Get()
	if quit {
		return false
	}
	defer op.queue.Done(key)
	if err := op.reconcile(ctx, key); err != nil {
		if !apierrors.IsConflict(err) {
			log.Printf("%s: %v", key, err)
		}
		op.queue.AddRateLimited(key)
		return true
	}
	op.queue.Forget(key)
	return true
}

func (op *operator) reconcile(ctx context.Context, key cache.ObjectName) error {
	tenant, err := op.tenants.ConfigMaps(key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil || tenant.Labels["tenant"] != "true" {
		return err
	}
	deployments := op.client.AppsV1().Deployments(key.Namespace)
	found, err := op.deployments.Deployments(key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) {
		_, err = deployments.Create(ctx, wanted(tenant), metav1.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	update := found.DeepCopy()
	annotations := &update.ObjectMeta.Annotations
	if tenant.Data["stamp"] == "template" {
		annotations = &update.Spec.Template.ObjectMeta.Annotations
	}
	if *annotations == nil {
		*annotations = map[string]string{}
	}
	(*annotations)[stampKey] = time.Now().Format(time.RFC3339Nano)
	_, err = deployments.Update(ctx, update, metav1.UpdateOptions{})
	return err
}

func wanted(tenant *corev1.ConfigMap) *appsv1.Deployment {
	replicas, labels := int32(2), map[string]string{"tenant": tenant.Name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{
			Name:            tenant.Name,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(tenant, corev1.SchemeGroupVersion.WithKind("ConfigMap"))},
		},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx:1"}}},
			},
		},
	}
}
