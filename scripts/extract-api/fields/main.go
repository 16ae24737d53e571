// Prints, for each Go type of the kinds that the API server serves, how each of its fields is written when it is empty, which OpenAPI does
// not say. Run by extract.ts inside the module of scripts/control-plane/kubernetes.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// Per type and field: "p" pointer (written when set), "o" omitted when empty, "k" written as 0, false or "" when empty, "n" written as null
// when it was never set, "s" struct that is always present.
var types = map[string]map[string]string{}

func nameOf(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	return strings.Join(parts[len(parts)-2:], ".") + "." + t.Name()
}

// plain are structs that are written as one value.
var plain = map[string]bool{"Time": true, "MicroTime": true, "Quantity": true, "IntOrString": true, "RawExtension": true, "FieldsV1": true, "JSON": true}

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
	if types[name] != nil || plain[t.Name()] {
		return
	}
	fields := map[string]string{}
	types[name] = fields
	collect(t, fields)
}

func collect(t reflect.Type, fields map[string]string) {
	for i := 0; i < t.NumField(); i++ {
		field := t.Field(i)
		tag := strings.Split(field.Tag.Get("json"), ",")
		options := strings.Join(tag[1:], ",")
		if tag[0] == "-" || !field.IsExported() {
			continue
		}
		if tag[0] == "" {
			if field.Type.Kind() == reflect.Struct {
				collect(field.Type, fields)
			}
			continue
		}
		fields[tag[0]] = how(field.Type, options)
		visit(field.Type)
	}
}

func how(t reflect.Type, options string) string {
	omits := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
	switch {
	case t.Kind() == reflect.Pointer && !omits:
		return "n"
	case t.Kind() == reflect.Pointer:
		return "p"
	case t.Kind() == reflect.Struct && plain[t.Name()]:
		// omitempty omits no struct, not even one that is written as one value.
		switch {
		case strings.Contains(options, "omitzero"):
			return "p"
		case t.Name() == "Quantity" || t.Name() == "IntOrString":
			return "k"
		}
		return "n"
	case t.Kind() == reflect.Struct:
		if strings.Contains(options, "omitzero") {
			return "o"
		}
		return "s"
	case omits:
		return "o"
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Map:
		return "n"
	}
	return "k"
}

func main() {
	for _, t := range scheme.Scheme.AllKnownTypes() {
		visit(t)
	}
	visit(reflect.TypeOf(apiextensions.CustomResourceDefinition{}))
	visit(reflect.TypeOf(apiregistration.APIService{}))
	if err := json.NewEncoder(os.Stdout).Encode(types); err != nil {
		panic(err)
	}
}
