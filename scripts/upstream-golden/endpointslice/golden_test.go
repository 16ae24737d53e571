// Prints where kube-controller-manager's own reconciler of EndpointSlices puts endpoints, as JSON. extract.ts copies this file into a copy
// of the package, where it runs as a test against a fake API server.
package endpointslice

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"sort"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"
	"k8s.io/endpointslice/topologycache"
	endpointsliceutil "k8s.io/endpointslice/util"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
)

const controllerName = "endpointslice-controller.k8s.io"

type input struct{ Placements, Ports, Zones int }

// One slice before a sync: how many of its endpoints stay unchanged, change, and are removed.
type before struct {
	Same    int  `json:"same"`
	Changed int  `json:"changed"`
	Gone    int  `json:"gone"`
	Labels  bool `json:"labels"`
}

// What a sync wrote: the sizes of new slices, of updated ones before and after, and of deleted ones.
type written struct {
	Created []int    `json:"created"`
	Updated [][2]int `json:"updated"`
	Deleted []int    `json:"deleted"`
}

type placement struct {
	Max    int      `json:"max"`
	Slices []before `json:"slices"`
	Added  int      `json:"added"`
	Writes written  `json:"writes"`
}

var random *rand.Rand

func pod(name string, ready bool, node string) *corev1.Pod {
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(name)},
		Spec:       corev1.PodSpec{NodeName: node},
		Status: corev1.PodStatus{
			PodIP:      "10.0.0.1",
			PodIPs:     []corev1.PodIP{{IP: "10.0.0.1"}},
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: status}},
		},
	}
}

func service(annotations map[string]string) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "web", Annotations: annotations},
		Spec: corev1.ServiceSpec{
			ClusterIP:  "10.96.0.1",
			IPFamilies: []corev1.IPFamily{corev1.IPv4Protocol},
			Ports:      []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(8080), Protocol: corev1.ProtocolTCP}},
		},
	}
}

type scene struct {
	client     *fake.Clientset
	reconciler *Reconciler
	zones      *topologycache.TopologyCache
}

func newScene(max int, nodes []*corev1.Node) scene {
	client := fake.NewClientset()
	names := 0
	client.PrependReactor("create", "endpointslices", func(action k8stesting.Action) (bool, runtime.Object, error) {
		slice := action.(k8stesting.CreateAction).GetObject().(*discovery.EndpointSlice)
		if slice.Name == "" {
			names++
			slice.Name = fmt.Sprintf("%s%d", slice.GenerateName, names)
		}
		return false, slice, nil
	})
	factory := informers.NewSharedInformerFactory(client, 0)
	indexer := factory.Core().V1().Nodes().Informer().GetIndexer()
	for _, node := range nodes {
		indexer.Add(node)
	}
	zones := topologycache.NewTopologyCache()
	zones.SetNodes(klog.Background(), nodes)
	reconciler := NewReconciler(client, factory.Core().V1().Nodes().Lister(), int32(max), endpointsliceutil.NewEndpointSliceTracker(), zones, record.NewFakeRecorder(1000), controllerName, WithPreferSameTrafficDistributionEnabled(true))
	return scene{client, reconciler, zones}
}

func (s scene) slices() []*discovery.EndpointSlice {
	list, _ := s.client.DiscoveryV1().EndpointSlices("shop").List(context.TODO(), metav1.ListOptions{})
	found := []*discovery.EndpointSlice{}
	for i := range list.Items {
		found = append(found, &list.Items[i])
	}
	return found
}

func randomPlacement(t *testing.T) placement {
	max := 1 + random.Intn(12)
	nodes := []*corev1.Node{makeNode("one", "a", "4")}
	s := newScene(max, nodes)
	svc := service(nil)
	svc.Labels = map[string]string{"team": "red"}
	one := placement{Max: max, Slices: []before{}}
	pods := []*corev1.Pod{}
	for i := random.Intn(6); i > 0; i-- {
		size := 1 + random.Intn(max)
		has := before{Labels: random.Intn(8) == 0}
		slice := newEndpointSlice(klog.Background(), svc, &endpointMeta{ports: getEndpointPorts(klog.Background(), svc, pod("x", true, "one")), addressType: discovery.AddressTypeIPv4}, controllerName)
		slice.Name = fmt.Sprintf("slice-%d", i)
		if has.Labels {
			slice.Labels["team"] = "blue"
		}
		mode := random.Intn(4)
		for n := 0; n < size; n++ {
			name := fmt.Sprintf("pod-%d-%d", i, n)
			p := pod(name, true, "one")
			slice.Endpoints = append(slice.Endpoints, podToEndpoint(p, nodes[0], svc, discovery.AddressTypeIPv4))
			fate := random.Intn(3)
			switch {
			case mode == 0 || fate == 0:
				has.Same++
				pods = append(pods, p)
			case mode == 1 || fate == 1:
				has.Gone++
			default:
				has.Changed++
				pods = append(pods, pod(name, false, "one"))
			}
		}
		s.client.Tracker().Add(slice)
		one.Slices = append(one.Slices, has)
	}
	one.Added = random.Intn(3 * max)
	for n := 0; n < one.Added; n++ {
		pods = append(pods, pod(fmt.Sprintf("new-%d", n), true, "one"))
	}
	sizes := map[string]int{}
	for _, slice := range s.slices() {
		sizes[slice.Name] = len(slice.Endpoints)
	}
	s.client.ClearActions()
	if err := s.reconciler.Reconcile(klog.Background(), svc, pods, s.slices(), time.Time{}); err != nil {
		t.Fatal(err)
	}
	one.Writes = written{[]int{}, [][2]int{}, []int{}}
	for _, action := range s.client.Actions() {
		switch a := action.(type) {
		case k8stesting.DeleteAction:
			one.Writes.Deleted = append(one.Writes.Deleted, sizes[a.GetName()])
		case k8stesting.CreateAction:
			slice := a.GetObject().(*discovery.EndpointSlice)
			if action.GetVerb() == "create" {
				one.Writes.Created = append(one.Writes.Created, len(slice.Endpoints))
			} else {
				one.Writes.Updated = append(one.Writes.Updated, [2]int{sizes[slice.Name], len(slice.Endpoints)})
			}
		}
	}
	sort.Ints(one.Writes.Created)
	sort.Ints(one.Writes.Deleted)
	sort.Slice(one.Writes.Updated, func(i, j int) bool {
		a, b := one.Writes.Updated[i], one.Writes.Updated[j]
		return a[0] < b[0] || a[0] == b[0] && a[1] < b[1]
	})
	return one
}

func randomPorts() [2][]discovery.EndpointPort {
	ports := []discovery.EndpointPort{}
	for n := 1 + random.Intn(5); n > 0; n-- {
		port := discovery.EndpointPort{Name: ptr.To([]string{"http", "dns", "", "admin-2", "x"}[random.Intn(5)])}
		if random.Intn(8) > 0 {
			port.Port = ptr.To(int32(random.Intn(65535) + 1))
		}
		if random.Intn(8) > 0 {
			port.Protocol = ptr.To([]corev1.Protocol{"TCP", "UDP", "SCTP"}[random.Intn(3)])
		}
		if random.Intn(3) == 0 {
			port.AppProtocol = ptr.To([]string{"kubernetes.io/h2c", "http", ""}[random.Intn(3)])
		}
		ports = append(ports, port)
	}
	sorted := append([]discovery.EndpointPort{}, ports...)
	endpointsliceutil.NewPortMapKey(sorted)
	return [2][]discovery.EndpointPort{ports, sorted}
}

// A cluster with zones, ready endpoints in them, and how many hints name each zone; or the Event that says why there are none.
type zoneCase struct {
	Cpus    map[string]string `json:"cpus"`
	Ready   map[string]int    `json:"ready"`
	Unready int               `json:"unready"`
	Hints   map[string]int    `json:"hints,omitempty"`
	Event   string            `json:"event"`
}

func randomZones(t *testing.T) zoneCase {
	one := zoneCase{Cpus: map[string]string{}, Ready: map[string]int{}, Hints: map[string]int{}}
	nodes := []*corev1.Node{}
	pods := []*corev1.Pod{}
	for z := 1 + random.Intn(4); z > 0; z-- {
		zone := string(rune('a' + z))
		cpu := []string{"1", "2", "3500m", "4", "10", "500m"}[random.Intn(6)]
		if random.Intn(25) == 0 {
			cpu = "0"
		}
		one.Cpus[zone] = cpu
		nodes = append(nodes, makeNode(zone, zone, cpu))
		one.Ready[zone] = random.Intn(8)
		for n := 0; n < one.Ready[zone]; n++ {
			pods = append(pods, pod(fmt.Sprintf("%s-%d", zone, n), true, zone))
		}
		if random.Intn(3) == 0 {
			one.Unready++
			pods = append(pods, pod(zone+"-not", false, zone))
		}
	}
	s := newScene(100, nodes)
	recorder := record.NewFakeRecorder(10)
	s.reconciler.eventRecorder = recorder
	if err := s.reconciler.Reconcile(klog.Background(), service(map[string]string{corev1.AnnotationTopologyMode: "Auto"}), pods, nil, time.Time{}); err != nil {
		t.Fatal(err)
	}
	for _, slice := range s.slices() {
		for _, endpoint := range slice.Endpoints {
			if endpoint.Hints != nil {
				one.Hints[endpoint.Hints.ForZones[0].Name]++
			}
		}
	}
	one.Event = <-recorder.Events
	return one
}

func makeNode(name, zone, cpu string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelTopologyZone: zone}},
		Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)},
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
}

// Go's maps have no order: a result that depends on it differs in one of several tries, and is left out.
func settled[T any](count int, draw func() T) []T {
	found := []T{}
	for seed := int64(1); len(found) < count; seed++ {
		var first string
		isSame := true
		var one T
		for try := 0; try < 50 && isSame; try++ {
			random = rand.New(rand.NewSource(seed))
			one = draw()
			text, _ := json.Marshal(one)
			if try == 0 {
				first = string(text)
			}
			isSame = first == string(text)
		}
		if isSame {
			found = append(found, one)
		}
	}
	return found
}

func TestGolden(t *testing.T) {
	var asked input
	given, _ := os.ReadFile(os.Getenv("GOLDEN_INPUT"))
	if err := json.Unmarshal(given, &asked); err != nil {
		t.Fatal(err)
	}
	placements := settled(asked.Placements, func() placement { return randomPlacement(t) })
	ports := settled(asked.Ports, randomPorts)
	zones := settled(asked.Zones, func() zoneCase { return randomZones(t) })
	written, _ := json.Marshal(map[string]any{"placements": placements, "ports": ports, "zones": zones})
	if err := os.WriteFile(os.Getenv("GOLDEN_OUTPUT"), written, 0o600); err != nil {
		t.Fatal(err)
	}
}
