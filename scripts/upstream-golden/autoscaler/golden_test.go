// Prints the results of kube-controller-manager's own autoscaler for random inputs, as JSON. extract.ts copies this file into upstream's
// package, because the functions are not exported, and runs it there as a test, in the time of a synctest bubble.
package podautoscaler

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta/testrestmapper"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"
	scalefake "k8s.io/client-go/scale/fake"
	core "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	metricsclient "k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/monitor"
	"k8s.io/kubernetes/pkg/controller/util/selectors"
)

const (
	cpuInitialization = 5 * time.Minute
	readinessDelay    = 30 * time.Second
	stabilization     = 5 * time.Minute
)

var random = rand.New(rand.NewSource(7))

func chance(of float64) bool { return random.Float64() < of }

func oneOf[T any](of ...T) T { return of[random.Intn(len(of))] }

// fakeMetrics returns the metrics of a case.
type fakeMetrics struct {
	pods   metricsclient.PodMetricsInfo
	values []int64
	err    error
}

func (f *fakeMetrics) podMetrics() (metricsclient.PodMetricsInfo, time.Time, error) {
	if f.err != nil {
		return nil, time.Time{}, f.err
	}
	copied := metricsclient.PodMetricsInfo{}
	for name, metric := range f.pods {
		copied[name] = metric
	}
	return copied, time.Now(), nil
}

func (f *fakeMetrics) GetResourceMetric(context.Context, v1.ResourceName, string, labels.Selector, string) (metricsclient.PodMetricsInfo, time.Time, error) {
	return f.podMetrics()
}

func (f *fakeMetrics) GetRawMetric(string, string, labels.Selector, labels.Selector) (metricsclient.PodMetricsInfo, time.Time, error) {
	return f.podMetrics()
}

func (f *fakeMetrics) GetObjectMetric(string, string, *autoscalingv2.CrossVersionObjectReference, labels.Selector) (int64, time.Time, error) {
	return f.values[0], time.Now(), f.err
}

func (f *fakeMetrics) GetExternalMetric(string, string, labels.Selector) ([]int64, time.Time, error) {
	return f.values, time.Now(), f.err
}

// goldenPod is a pod as both sides build it. Times are seconds before now; requests are by container, "" if there is none.
type goldenPod struct {
	Name     string            `json:"name"`
	Phase    string            `json:"phase"`
	Deleted  bool              `json:"deleted,omitempty"`
	Ready    string            `json:"ready,omitempty"`
	Changed  int               `json:"changed,omitempty"`
	Started  *int              `json:"started,omitempty"`
	Requests map[string]string `json:"requests"`
	Sidecar  *string           `json:"sidecar,omitempty"`
	Init     *string           `json:"init,omitempty"`
	PodLevel map[string]string `json:"podLevel,omitempty"`
	Overhead string            `json:"overhead,omitempty"`
}

type goldenMetric struct {
	// Seconds before now.
	Age    int    `json:"age"`
	Window int    `json:"window"`
	Value  string `json:"value"`
}

type replicaCase struct {
	Kind      string                  `json:"kind"`
	Current   int32                   `json:"current"`
	Target    string                  `json:"target"`
	Down      float64                 `json:"down"`
	Up        float64                 `json:"up"`
	Resource  string                  `json:"resource,omitempty"`
	Container string                  `json:"container,omitempty"`
	Pods      []goldenPod             `json:"pods"`
	Metrics   map[string]goldenMetric `json:"metrics,omitempty"`
	Values    []string                `json:"values,omitempty"`
	Result    replicaResult           `json:"result"`
}

type replicaResult struct {
	Replicas    int32  `json:"replicas"`
	Utilization int32  `json:"utilization,omitempty"`
	Usage       string `json:"usage,omitempty"`
	Error       string `json:"error,omitempty"`
}

func text(value int64) string { return strconv.FormatInt(value, 10) }

func amount() int64 {
	switch random.Intn(20) {
	case 0:
		return 0
	case 1:
		return random.Int63n(math.MaxInt64)
	case 2:
		return random.Int63n(1_000_000_000_000)
	default:
		return random.Int63n(2000)
	}
}

func request() string {
	if chance(0.03) {
		return oneOf("", "0", "1n", "9Pi", "123456789012345678", "1.0005", "2e3")
	}
	return oneOf("100m", "250m", "500m", "1", "1500m", "0.1", "64Mi", "1Gi")
}

func randomPod(i int) goldenPod {
	pod := goldenPod{Name: fmt.Sprintf("pod-%d", i), Phase: "Running", Requests: map[string]string{"a": request()}}
	if chance(0.1) {
		pod.Phase = oneOf("Pending", "Failed", "Succeeded", "Unknown")
	}
	pod.Deleted = chance(0.05)
	if !chance(0.05) {
		pod.Ready = oneOf("True", "True", "True", "False", "Unknown")
		pod.Changed = random.Intn(900)
	}
	if !chance(0.05) {
		started := random.Intn(900)
		if chance(0.5) {
			started = pod.Changed + random.Intn(60)
		}
		pod.Started = &started
	}
	if chance(0.3) {
		pod.Requests["b"] = request()
	}
	if chance(0.1) {
		sidecar := request()
		pod.Sidecar = &sidecar
	}
	if chance(0.05) {
		init := request()
		pod.Init = &init
	}
	if chance(0.08) {
		pod.PodLevel = map[string]string{oneOf("cpu", "cpu", "memory", "example.com/gpu"): oneOf("1", "250m", "2Gi")}
		if chance(0.3) {
			pod.Overhead = "10m"
		}
	}
	return pod
}

func requestsOf(text, name string) v1.ResourceList {
	if text == "" {
		return nil
	}
	return v1.ResourceList{v1.ResourceName(name): resource.MustParse(text)}
}

func (pod goldenPod) object(resourceName string, now time.Time) *v1.Pod {
	object := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: "default", Labels: map[string]string{"app": "web"}}}
	object.Status.Phase = v1.PodPhase(pod.Phase)
	if pod.Deleted {
		object.DeletionTimestamp = &metav1.Time{Time: now}
	}
	if pod.Ready != "" {
		object.Status.Conditions = []v1.PodCondition{{
			Type: v1.PodReady, Status: v1.ConditionStatus(pod.Ready),
			LastTransitionTime: metav1.NewTime(now.Add(-time.Duration(pod.Changed) * time.Second)),
		}}
	}
	if pod.Started != nil {
		started := metav1.NewTime(now.Add(-time.Duration(*pod.Started) * time.Second))
		object.Status.StartTime = &started
	}
	for _, name := range []string{"a", "b"} {
		if text, ok := pod.Requests[name]; ok {
			object.Spec.Containers = append(object.Spec.Containers, v1.Container{Name: name, Resources: v1.ResourceRequirements{Requests: requestsOf(text, resourceName)}})
		}
	}
	always := v1.ContainerRestartPolicyAlways
	if pod.Sidecar != nil {
		object.Spec.InitContainers = append(object.Spec.InitContainers, v1.Container{Name: "side", RestartPolicy: &always, Resources: v1.ResourceRequirements{Requests: requestsOf(*pod.Sidecar, resourceName)}})
	}
	if pod.Init != nil {
		object.Spec.InitContainers = append(object.Spec.InitContainers, v1.Container{Name: "init", Resources: v1.ResourceRequirements{Requests: requestsOf(*pod.Init, resourceName)}})
	}
	if pod.PodLevel != nil {
		list := v1.ResourceList{}
		for name, text := range pod.PodLevel {
			list[v1.ResourceName(name)] = resource.MustParse(text)
		}
		object.Spec.Resources = &v1.ResourceRequirements{Requests: list}
	}
	if pod.Overhead != "" {
		object.Spec.Overhead = requestsOf(pod.Overhead, resourceName)
	}
	return object
}

func listerOf(pods ...*v1.Pod) corelisters.PodLister {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, pod := range pods {
		if err := indexer.Add(pod); err != nil {
			panic(err)
		}
	}
	return corelisters.NewPodLister(indexer)
}

func randomReplicaCase() replicaCase {
	one := replicaCase{
		Kind:    oneOf("resource", "resource", "resource", "raw", "pods", "object", "object-per-pod", "external", "external-per-pod"),
		Current: int32(random.Intn(12)),
		Down:    0.1, Up: 0.1,
	}
	if chance(0.2) {
		one.Down, one.Up = oneOf(0, 0.01, 0.3, 1), oneOf(0, 0.05, 0.5)
	}
	if chance(0.05) {
		one.Current = oneOf[int32](1000, 100000, math.MaxInt32)
	}
	now := time.Now()
	count := random.Intn(10)
	var objects []*v1.Pod
	resourceName := oneOf("cpu", "cpu", "memory")
	one.Pods = []goldenPod{}
	for i := 0; i < count; i++ {
		pod := randomPod(i)
		one.Pods = append(one.Pods, pod)
		objects = append(objects, pod.object(resourceName, now))
	}
	usage := amount()
	fakes := &fakeMetrics{}
	if one.Kind == "resource" || one.Kind == "raw" || one.Kind == "pods" {
		fakes.pods = metricsclient.PodMetricsInfo{}
		one.Metrics = map[string]goldenMetric{}
		for i := 0; i < count+1; i++ {
			if chance(0.15) || (i == count && chance(0.9)) {
				continue
			}
			value := usage
			if chance(0.7) {
				value = max(0, usage+random.Int63n(usage/4+1)-usage/8)
			}
			metric := goldenMetric{Age: random.Intn(120), Window: oneOf(30, 60), Value: text(value)}
			name := fmt.Sprintf("pod-%d", i)
			one.Metrics[name] = metric
			fakes.pods[name] = metricsclient.PodMetric{
				Timestamp: now.Add(-time.Duration(metric.Age) * time.Second),
				Window:    time.Duration(metric.Window) * time.Second,
				Value:     value,
			}
		}
	} else {
		values := 1
		if one.Kind == "external" || one.Kind == "external-per-pod" {
			values = random.Intn(4)
		}
		for i := 0; i < values; i++ {
			value := amount()
			if one.Kind != "object" && one.Kind != "object-per-pod" && chance(0.15) {
				value = -value
			}
			one.Values = append(one.Values, text(value))
			fakes.values = append(fakes.values, value)
		}
	}
	calculator := NewReplicaCalculator(fakes, listerOf(objects...), cpuInitialization, readinessDelay)
	tolerances := Tolerances{scaleDown: one.Down, scaleUp: one.Up}
	selector := labels.SelectorFromSet(labels.Set{"app": "web"})
	target := max(1, amount())
	if chance(0.3) {
		target = max(1, usage+random.Int63n(3)-1)
	}
	one.Target = text(target)
	var err error
	var value int64
	switch one.Kind {
	case "resource":
		one.Resource, one.Container = resourceName, oneOf("", "", "", "a", "b", "side")
		percent := int32(oneOf(1+random.Intn(150), 50, 100))
		one.Target = text(int64(percent))
		one.Result.Replicas, one.Result.Utilization, value, _, err = calculator.GetResourceReplicas(context.Background(), one.Current, percent, v1.ResourceName(resourceName), tolerances, "default", selector, one.Container)
	case "raw":
		one.Resource, one.Container = resourceName, oneOf("", "a")
		one.Result.Replicas, value, _, err = calculator.GetRawResourceReplicas(context.Background(), one.Current, target, v1.ResourceName(resourceName), tolerances, "default", selector, one.Container)
	case "pods":
		one.Result.Replicas, value, _, err = calculator.GetMetricReplicas(one.Current, target, "qps", tolerances, "default", selector, labels.Everything())
	case "object":
		one.Result.Replicas, value, _, err = calculator.GetObjectMetricReplicas(one.Current, target, "qps", tolerances, "default", &autoscalingv2.CrossVersionObjectReference{Kind: "Service", Name: "web"}, selector, labels.Everything())
	case "object-per-pod":
		one.Result.Replicas, value, _, err = calculator.GetObjectPerPodMetricReplicas(one.Current, target, "qps", tolerances, "default", &autoscalingv2.CrossVersionObjectReference{Kind: "Service", Name: "web"}, labels.Everything())
	case "external":
		one.Result.Replicas, value, _, err = calculator.GetExternalMetricReplicas(one.Current, target, "qps", tolerances, "default", nil, selector)
	case "external-per-pod":
		one.Result.Replicas, value, _, err = calculator.GetExternalPerPodMetricReplicas(one.Current, target, "qps", tolerances, "default", nil)
	}
	if err != nil {
		one.Result = replicaResult{Error: err.Error()}
	} else {
		one.Result.Usage = text(value)
	}
	return one
}

// A sequence of recommendations for one autoscaler.
type limitCase struct {
	Behavior *autoscalingv2.HorizontalPodAutoscalerBehavior `json:"behavior,omitempty"`
	Min      int32                                          `json:"min"`
	Max      int32                                          `json:"max"`
	Start    int32                                          `json:"start"`
	Steps    []limitStep                                    `json:"steps"`
}

// limitStep is [ms since the previous step, recommended, desired, the reason of AbleToScale, of ScalingLimited].
type limitStep [5]any

func randomRules(up bool) *autoscalingv2.HPAScalingRules {
	window := int32(oneOf(0, 0, 15, 60, 120, 300, 600))
	policy := oneOf(autoscalingv2.MaxChangePolicySelect, autoscalingv2.MaxChangePolicySelect, autoscalingv2.MinChangePolicySelect)
	if chance(0.05) {
		policy = autoscalingv2.DisabledPolicySelect
	}
	rules := &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: &window, SelectPolicy: &policy}
	if !up && chance(0.2) {
		rules.StabilizationWindowSeconds = nil
	}
	for i := 0; i <= random.Intn(3); i++ {
		rules.Policies = append(rules.Policies, autoscalingv2.HPAScalingPolicy{
			Type:          oneOf(autoscalingv2.PodsScalingPolicy, autoscalingv2.PercentScalingPolicy),
			Value:         int32(oneOf(1, 2, 4, 10, 50, 100, 1+random.Intn(200))),
			PeriodSeconds: int32(oneOf(15, 30, 60, 120, 300, 1800)),
		})
	}
	return rules
}

func bareController() *HorizontalController {
	return &HorizontalController{
		tolerance:                    0.1,
		downscaleStabilisationWindow: stabilization,
		recommendations:              map[string][]timestampedRecommendation{},
		scaleUpEvents:                map[string][]timestampedScaleEvent{},
		scaleDownEvents:              map[string][]timestampedScaleEvent{},
		hpaSelectors:                 selectors.NewBiMultimap(),
		eventRecorder:                &record.FakeRecorder{},
		monitor:                      monitor.New(),
	}
}

func reasonOf(hpa *autoscalingv2.HorizontalPodAutoscaler, of autoscalingv2.HorizontalPodAutoscalerConditionType) string {
	for _, condition := range hpa.Status.Conditions {
		if condition.Type == of {
			return condition.Reason
		}
	}
	return ""
}

func randomLimitCase() limitCase {
	one := limitCase{Min: int32(1 + random.Intn(4)), Start: int32(1 + random.Intn(30))}
	one.Max = one.Min + int32(random.Intn(60))
	hpa := &autoscalingv2.HorizontalPodAutoscaler{}
	if chance(0.7) {
		one.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: randomRules(true), ScaleDown: randomRules(false)}
		hpa.Spec.Behavior = one.Behavior.DeepCopy()
	}
	hpa.Spec.MaxReplicas = one.Max
	controller := bareController()
	current := one.Start
	controller.recordInitialRecommendation(current, "key")
	level := int(current)
	for i := 0; i < 24; i++ {
		waited := time.Duration(oneOf(15000, 15000, 15000, 1000, 7500, 60000, 120000, 300000)) * time.Millisecond
		time.Sleep(waited)
		if chance(0.4) {
			level = 1 + random.Intn(70)
		} else {
			level = max(1, level+random.Intn(7)-3)
		}
		recommended := int32(level)
		var desired int32
		spec := hpa.DeepCopy()
		if spec.Spec.Behavior == nil {
			desired = controller.normalizeDesiredReplicas(spec, "key", current, recommended, one.Min)
		} else {
			desired = controller.normalizeDesiredReplicasWithBehaviors(spec, "key", current, recommended, one.Min)
		}
		one.Steps = append(one.Steps, limitStep{waited.Milliseconds(), recommended, desired, reasonOf(spec, autoscalingv2.AbleToScale), reasonOf(spec, autoscalingv2.ScalingLimited)})
		if desired != current {
			controller.storeScaleEvent(spec.Spec.Behavior, "key", current, desired)
			current = desired
		}
		// Another client scales.
		if chance(0.05) {
			current = int32(1 + random.Intn(40))
			one.Steps = append(one.Steps, limitStep{0, current, "scaled"})
		}
	}
	return one
}

// dayCase is a day of load: one line per 15 seconds.
type dayCase struct {
	Name string                                    `json:"name"`
	Spec autoscalingv2.HorizontalPodAutoscalerSpec `json:"spec"`
	// Thousandths of a CPU that all pods together would use; for a day with another metric, thousandths of requests per second.
	Load []int64 `json:"load"`
	// How many of the pods, in the order of their creation, have no metrics; -1: the metrics API fails.
	Missing []int `json:"missing"`
	// After each tick: [desired replicas, reasons of AbleToScale, ScalingActive, ScalingLimited]; null repeats the last line.
	Ticks []any `json:"ticks"`
	// How often the status was written.
	Writes int `json:"writes"`
	// How many Events there were for each reason.
	Events map[string]int `json:"events"`
}

// dayPod is a pod of the day: ready two ticks after it was created.
type dayPod struct {
	number  int
	created time.Time
	ready   time.Time
}

func (p dayPod) object() *v1.Pod {
	name := fmt.Sprintf("web-%d", p.number)
	created := metav1.NewTime(p.created)
	condition := v1.PodCondition{Type: v1.PodReady, Status: v1.ConditionFalse, LastTransitionTime: created}
	if !p.ready.IsZero() {
		condition.Status, condition.LastTransitionTime = v1.ConditionTrue, metav1.NewTime(p.ready)
	}
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", Labels: map[string]string{"app": "web"}},
		Spec:       v1.PodSpec{Containers: []v1.Container{{Name: "web", Resources: v1.ResourceRequirements{Requests: requestsOf("500m", "cpu")}}}},
		Status:     v1.PodStatus{Phase: v1.PodRunning, StartTime: &created, Conditions: []v1.PodCondition{condition}},
	}
}

const ticksOfADay = 24 * 60 * 4

func runDay(name string, spec autoscalingv2.HorizontalPodAutoscalerSpec) dayCase {
	day := dayCase{Name: name, Spec: *spec.DeepCopy(), Events: map[string]int{}}
	level, outage, spike := 0.0, 0, 0
	for tick := 0; tick < ticksOfADay; tick++ {
		if spike == 0 && chance(0.002) {
			spike = 20 + random.Intn(60)
		}
		curve := 3000 - 2200*math.Cos(2*math.Pi*float64(tick)/ticksOfADay)
		if spike > 0 {
			spike--
			curve *= 2.5
		}
		level += (curve - level) / 4
		day.Load = append(day.Load, int64(level*(0.9+0.2*random.Float64())))
		if outage == 0 && chance(0.003) {
			outage = 1 + random.Intn(30)
		}
		missing := 0
		if outage > 0 {
			outage--
			missing = -1
		} else if chance(0.05) {
			missing = 1 + random.Intn(2)
		}
		day.Missing = append(day.Missing, missing)
	}

	controller := bareController()
	hpa := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"}, Spec: spec}
	metrics := &fakeMetrics{}
	recorder := record.NewFakeRecorder(100)
	controller.eventRecorder = recorder
	controller.mapper = testrestmapper.TestOnlyStaticRESTMapper(legacyscheme.Scheme)
	replicas := int32(3)
	scales := &scalefake.FakeScaleClient{}
	scaleNow := func() *autoscalingv1.Scale {
		return &autoscalingv1.Scale{
			ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
			Spec:       autoscalingv1.ScaleSpec{Replicas: replicas},
			Status:     autoscalingv1.ScaleStatus{Replicas: replicas, Selector: "app=web"},
		}
	}
	scales.AddReactor("get", "deployments", func(core.Action) (bool, runtime.Object, error) { return true, scaleNow(), nil })
	scales.AddReactor("update", "deployments", func(action core.Action) (bool, runtime.Object, error) {
		replicas = action.(core.UpdateAction).GetObject().(*autoscalingv1.Scale).Spec.Replicas
		return true, scaleNow(), nil
	})
	controller.scaleNamespacer = scales
	clients := &fake.Clientset{}
	clients.AddReactor("update", "horizontalpodautoscalers", func(action core.Action) (bool, runtime.Object, error) {
		written := action.(core.UpdateAction).GetObject().(*autoscalingv2.HorizontalPodAutoscaler)
		// As returned by the server: times in whole seconds.
		bytes, err := json.Marshal(written.Status)
		if err != nil {
			panic(err)
		}
		hpa.Status = autoscalingv2.HorizontalPodAutoscalerStatus{}
		if err := json.Unmarshal(bytes, &hpa.Status); err != nil {
			panic(err)
		}
		day.Writes++
		return true, written, nil
	})
	controller.hpaNamespacer = clients.AutoscalingV2()

	var pods []dayPod
	next := 0
	last := ""
	for tick := 0; tick < ticksOfADay; tick++ {
		now := time.Now()
		for int32(len(pods)) < replicas {
			pods = append(pods, dayPod{number: next, created: now})
			next++
		}
		pods = pods[:replicas]
		ready := int64(0)
		var objects []*v1.Pod
		for i := range pods {
			if pods[i].ready.IsZero() && now.Sub(pods[i].created) >= 30*time.Second {
				pods[i].ready = now
			}
			if !pods[i].ready.IsZero() {
				ready++
			}
			objects = append(objects, pods[i].object())
		}
		metrics.err, metrics.pods, metrics.values = nil, metricsclient.PodMetricsInfo{}, []int64{day.Load[tick]}
		if day.Missing[tick] < 0 {
			metrics.err = fmt.Errorf("unable to fetch metrics from resource metrics API: the server is currently unable to handle the request (get pods.metrics.k8s.io)")
		}
		for i, pod := range pods {
			if pod.ready.IsZero() || i < day.Missing[tick] {
				continue
			}
			metrics.pods[fmt.Sprintf("web-%d", pod.number)] = metricsclient.PodMetric{
				Timestamp: now.Add(-10 * time.Second), Window: 15 * time.Second, Value: min(1000, day.Load[tick]/max(1, ready)),
			}
		}
		if len(metrics.pods) == 0 && metrics.err == nil {
			metrics.err = fmt.Errorf("no metrics returned from resource metrics API")
		}
		lister := listerOf(objects...)
		controller.podLister = lister
		controller.replicaCalc = NewReplicaCalculator(metrics, lister, cpuInitialization, readinessDelay)
		// A failure shows in the conditions.
		_ = controller.reconcileAutoscaler(context.Background(), hpa, "default/web")
		for len(recorder.Events) > 0 {
			var kind, reason string
			fmt.Sscan(<-recorder.Events, &kind, &reason)
			day.Events[reason]++
		}
		line := []any{replicas, reasonOf(hpa, autoscalingv2.AbleToScale), reasonOf(hpa, autoscalingv2.ScalingActive), reasonOf(hpa, autoscalingv2.ScalingLimited)}
		if is := fmt.Sprint(line...); is != last {
			day.Ticks = append(day.Ticks, line)
			last = is
		} else {
			day.Ticks = append(day.Ticks, nil)
		}
		time.Sleep(15 * time.Second)
	}
	return day
}

func days() []dayCase {
	minimum, percent := int32(2), int32(60)
	window, none := int32(180), int32(0)
	most, least := autoscalingv2.MaxChangePolicySelect, autoscalingv2.MinChangePolicySelect
	target := autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}
	cpu := []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
		Name: v1.ResourceCPU, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &percent},
	}}}
	up, down := resource.MustParse("0.05"), resource.MustParse("0.2")
	average := resource.MustParse("400m")
	both := append([]autoscalingv2.MetricSpec{{Type: autoscalingv2.ExternalMetricSourceType, External: &autoscalingv2.ExternalMetricSource{
		Metric: autoscalingv2.MetricIdentifier{Name: "queue"}, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: &average},
	}}}, cpu...)
	return []dayCase{
		runDay("without behavior", autoscalingv2.HorizontalPodAutoscalerSpec{ScaleTargetRef: target, MinReplicas: &minimum, MaxReplicas: 20, Metrics: cpu}),
		runDay("with behavior", autoscalingv2.HorizontalPodAutoscalerSpec{ScaleTargetRef: target, MinReplicas: &minimum, MaxReplicas: 20, Metrics: cpu,
			Behavior: &autoscalingv2.HorizontalPodAutoscalerBehavior{
				ScaleUp: &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: &none, SelectPolicy: &least, Tolerance: &up, Policies: []autoscalingv2.HPAScalingPolicy{
					{Type: autoscalingv2.PodsScalingPolicy, Value: 2, PeriodSeconds: 60}, {Type: autoscalingv2.PercentScalingPolicy, Value: 50, PeriodSeconds: 30}}},
				ScaleDown: &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: &window, SelectPolicy: &most, Tolerance: &down, Policies: []autoscalingv2.HPAScalingPolicy{
					{Type: autoscalingv2.PercentScalingPolicy, Value: 10, PeriodSeconds: 120}, {Type: autoscalingv2.PodsScalingPolicy, Value: 1, PeriodSeconds: 60}}},
			}}),
		runDay("by two metrics", autoscalingv2.HorizontalPodAutoscalerSpec{ScaleTargetRef: target, MinReplicas: &minimum, MaxReplicas: 20, Metrics: both}),
	}
}

func TestGolden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := struct {
			Replicas []replicaCase `json:"replicas"`
			Limits   []limitCase   `json:"limits"`
			Days     []dayCase     `json:"days"`
		}{}
		var given struct {
			Replicas int `json:"replicas"`
			Limits   int `json:"limits"`
		}
		text, err := os.ReadFile(os.Getenv("GOLDEN_INPUT"))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &given); err != nil {
			t.Fatal(err)
		}
		for range given.Replicas {
			out.Replicas = append(out.Replicas, randomReplicaCase())
		}
		for range given.Limits {
			out.Limits = append(out.Limits, randomLimitCase())
		}
		out.Days = days()
		bytes, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(os.Getenv("GOLDEN_OUTPUT"), bytes, 0o600); err != nil {
			t.Fatal(err)
		}
	})
}
