// Prints, for each Go type of the kinds that the API server serves, the numbers of its fields in protobuf: "1metadata,2spec".
// "2=core.v1.VolumeSource" represents the fields of a struct that JSON inlines. Run by ../protobuf.ts inside the module of
// scripts/control-plane/kubernetes.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	"k8s.io/client-go/kubernetes/scheme"
)

var types = map[string]string{}

func nameOf(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	return strings.Join(parts[len(parts)-2:], ".") + "." + t.Name()
}

// Structs that JSON writes as one value: the decoder recognizes them by their shape.
var plain = map[string]bool{"Time": true, "MicroTime": true, "Quantity": true, "IntOrString": true, "RawExtension": true, "FieldsV1": true}

func visit(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		visit(t.Elem())
		return
	case reflect.Struct:
	default:
		return
	}
	name := nameOf(t)
	if _, seen := types[name]; seen || plain[t.Name()] {
		return
	}
	types[name] = ""
	fields := []string{}
	for i := 0; i < t.NumField(); i++ {
		field := t.Field(i)
		tag := strings.Split(field.Tag.Get("protobuf"), ",")
		if len(tag) < 2 || !field.IsExported() {
			continue
		}
		jsonName := strings.Split(field.Tag.Get("json"), ",")[0]
		if jsonName == "" {
			jsonName = "=" + nameOf(field.Type)
		}
		fields = append(fields, tag[1]+jsonName)
		visit(field.Type)
	}
	types[name] = strings.Join(fields, ",")
}

func main() {
	for _, t := range scheme.Scheme.AllKnownTypes() {
		visit(t)
	}
	if err := json.NewEncoder(os.Stdout).Encode(types); err != nil {
		panic(err)
	}
}
