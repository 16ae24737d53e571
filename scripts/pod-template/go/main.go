// Prints what src/controller/pod-template needs to know about the Go types of a pod template, and templates with the hashes that
// kube-controller-manager's own function computes for them. Run by extract.ts inside the module of scripts/control-plane/kubernetes.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/controller"
)

// field is the name in Go, the name on the wire ("" if it is inlined) and the type.
type field [3]string

type output struct {
	// Structs by their Go names, in the order of their fields.
	Structs map[string][]field `json:"structs"`
	// Other named types, and their underlying types.
	Named  map[string]string `json:"named"`
	Golden []golden          `json:"golden"`
}

type golden struct {
	What       string          `json:"what"`
	Template   json.RawMessage `json:"template"`
	Collisions *int32          `json:"collisions,omitempty"`
	Hash       string          `json:"hash"`
	// For the same Go value after it was sent as protobuf, if the hash differs: sending fills in the strings of quantities.
	Sent string `json:"sent,omitempty"`
}

var out = output{Structs: map[string][]field{}, Named: map[string]string{}}
var seen = map[string]reflect.Type{}

// leaves are structs whose dump is hand-written on the other side.
var leaves = map[reflect.Type]bool{
	reflect.TypeOf(resource.Quantity{}):  true,
	reflect.TypeOf(intstr.IntOrString{}): true,
	reflect.TypeOf(metav1.Time{}):        true,
	reflect.TypeOf(metav1.FieldsV1{}):    true,
}

func visit(t reflect.Type) {
	if t.Name() == "" {
		switch t.Kind() {
		case reflect.Map:
			visit(t.Key())
			visit(t.Elem())
		case reflect.Pointer, reflect.Slice:
			visit(t.Elem())
		default:
			panic("an unnamed type of a kind that nothing here knows: " + t.String())
		}
		return
	}
	if t.PkgPath() == "" || leaves[t] {
		return
	}
	if known, ok := seen[t.String()]; ok {
		if known != t {
			panic("two types of one name: " + t.String())
		}
		return
	}
	seen[t.String()] = t
	switch t.Kind() {
	case reflect.Struct:
		fields := []field{}
		for i := 0; i < t.NumField(); i++ {
			f := t.Field(i)
			fields = append(fields, field{f.Name, strings.Split(f.Tag.Get("json"), ",")[0], f.Type.String()})
			visit(f.Type)
		}
		out.Structs[t.String()] = fields
	case reflect.Map:
		out.Named[t.String()] = "map[" + t.Key().String() + "]" + t.Elem().String()
		visit(t.Key())
		visit(t.Elem())
	case reflect.Slice:
		out.Named[t.String()] = "[]" + t.Elem().String()
		visit(t.Elem())
	default:
		out.Named[t.String()] = t.Kind().String()
	}
}

func fail(err error) {
	if err != nil {
		panic(err)
	}
}

// add stores a template as the API server would serve it. It must have the same hash however it was sent.
func add(what string, template v1.PodTemplateSpec, collisions *int32) {
	text, err := json.Marshal(template)
	fail(err)
	var fromJSON, again v1.PodTemplateSpec
	fail(json.Unmarshal(text, &fromJSON))
	text, err = json.Marshal(fromJSON)
	fail(err)
	fail(json.Unmarshal(text, &again))
	hash := controller.ComputeHash(&again, collisions)
	bytes, err := again.Marshal()
	fail(err)
	var fromProtobuf v1.PodTemplateSpec
	fail(fromProtobuf.Unmarshal(bytes))
	if other := controller.ComputeHash(&fromProtobuf, collisions); other != hash {
		panic(fmt.Sprintf("%s: %s as JSON, %s as protobuf", what, hash, other))
	}
	one := golden{What: what, Template: text, Collisions: collisions, Hash: hash}
	if sent := controller.ComputeHash(&again, collisions); sent != hash {
		one.Sent = sent
	}
	out.Golden = append(out.Golden, one)
}

func base() v1.PodTemplateSpec {
	return v1.PodTemplateSpec{Spec: v1.PodSpec{Containers: []v1.Container{{Name: "web"}}}}
}

var random = rand.New(rand.NewSource(1))

var quantities = []string{"0", "1", "2", "500m", "1500m", "100n", "2u", "10k", "100M", "5G", "1T", "3P", "1E", "1Ki", "8Ki", "1000Mi", "128Mi", "129Mi", "1Gi", "64Gi", "100Ti", "1Pi", "7Ei", "9Ei",
	"123456789012345678", "1234567890123456789", "9223372036854775807", "-1", "-500m", "-1Pi", "1e3", "12e6", "1e-3", "1e9", "100", "1000000007", "1536Mi", "0.5Gi", "1024", "0.1", "1.5Gi", "12345678901Ki"}

// fill sets a value to something; depth limits the nesting, chance how many fields of a struct are set.
func fill(v reflect.Value, depth int, chance float64) {
	switch v.Type() {
	case reflect.TypeOf(resource.Quantity{}):
		v.Set(reflect.ValueOf(resource.MustParse(quantities[random.Intn(len(quantities))])))
		return
	case reflect.TypeOf(intstr.IntOrString{}):
		if random.Intn(2) == 0 {
			v.Set(reflect.ValueOf(intstr.FromInt32(int32(random.Intn(70000)))))
		} else {
			v.Set(reflect.ValueOf(intstr.FromString("http")))
		}
		return
	case reflect.TypeOf(metav1.Time{}):
		v.Set(reflect.ValueOf(metav1.Unix(1700000000+random.Int63n(100000000), 0)))
		return
	case reflect.TypeOf(metav1.FieldsV1{}):
		v.Set(reflect.ValueOf(metav1.FieldsV1{Raw: []byte(`{"f:metadata":{"f:labels":{".":{},"f:app":{}}}}`)}))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(words[random.Intn(len(words))])
	case reflect.Bool:
		v.SetBool(random.Intn(3) > 0)
	case reflect.Int32, reflect.Int64:
		v.SetInt(numbers[random.Intn(len(numbers))])
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if depth > 0 {
			fill(v.Elem(), depth-1, chance)
		}
	case reflect.Slice:
		n := 1 + random.Intn(2)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := 0; i < n; i++ {
			fill(v.Index(i), depth-1, chance)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for i := 0; i <= random.Intn(4); i++ {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, 0, chance)
			fill(value, depth-1, chance)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		if depth < 0 {
			return
		}
		for i := 0; i < v.NumField(); i++ {
			if random.Float64() < chance {
				fill(v.Field(i), depth-1, chance)
			}
		}
	default:
		panic("nothing to put into " + v.Type().String())
	}
}

var words = []string{"web", "a", "app.kubernetes.io/name", "zz", "B", "two words", "línea ✓ \U0001F600", "\uffee", "http", "-1", "a,b:c", "{}", "[<nil>]"}
var numbers = []int64{1, 0, -1, 30, 8080, 2147483647, 65536}

// each creates one template for every field of every struct, the first time that the struct is encountered.
func each(root *v1.PodTemplateSpec, at reflect.Value, path string, met map[string]bool) {
	t := at.Type()
	if leaves[t] {
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		was := reflect.New(t).Elem()
		was.Set(at)
		at.Set(reflect.New(t.Elem()))
		add(path+" as it is made", *root, nil)
		each(root, at.Elem(), path, met)
		at.Set(was)
	case reflect.Slice:
		was := reflect.New(t).Elem()
		was.Set(at)
		at.Set(reflect.MakeSlice(t, 1, 1))
		each(root, at.Index(0), path+"[0]", met)
		at.Set(was)
	case reflect.Struct:
		if met[t.String()] {
			return
		}
		met[t.String()] = true
		for i := 0; i < t.NumField(); i++ {
			f := at.Field(i)
			was := reflect.New(f.Type()).Elem()
			was.Set(f)
			here := path + "." + t.Field(i).Name
			fill(f, 1, 0.7)
			add(here, *root, nil)
			f.Set(was)
			each(root, f, here, met)
		}
	}
}

func main() {
	// As in kube-controller-manager's own image, which has no time zone: a time's dump contains the whole zone.
	if time.Local.String() != "UTC" {
		panic("run it with an empty TZ")
	}
	visit(reflect.TypeOf(v1.PodTemplateSpec{}))

	add("nothing", v1.PodTemplateSpec{}, nil)
	for _, n := range []int32{0, 1, 2, 300, 2147483647} {
		add(fmt.Sprintf("%d collisions", n), base(), &n)
	}
	template := base()
	each(&template, reflect.ValueOf(&template).Elem(), "", map[string]bool{})
	for _, text := range quantities {
		quantity := resource.MustParse(text)
		template := base()
		template.Spec.Containers[0].Resources.Requests = v1.ResourceList{"cpu": quantity}
		add("quantity "+text, template, nil)
	}
	for n := 0; n < 40; n++ {
		template := v1.PodTemplateSpec{}
		chance := []float64{0.15, 0.3, 0.6, 1}[n%4]
		fill(reflect.ValueOf(&template).Elem(), 2+n%5, chance)
		add(fmt.Sprintf("random %d", n), template, nil)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	fail(encoder.Encode(out))
}
