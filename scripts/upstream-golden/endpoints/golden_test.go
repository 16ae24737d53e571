// Prints how Kubernetes' own functions pack the subsets of Endpoints, and truncate them, as JSON. extract.ts copies this file into a copy
// of the package, where it runs as a test.
package endpoint

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/api/v1/endpoints"
	"k8s.io/utils/ptr"
)

type input struct{ Packed, Truncated int }

var random = rand.New(rand.NewSource(7))

func address() v1.EndpointAddress {
	n := random.Intn(6)
	one := v1.EndpointAddress{IP: fmt.Sprintf("10.0.0.%d", n), NodeName: ptr.To("one")}
	if random.Intn(8) > 0 {
		name := fmt.Sprintf("pod-%d", n%4)
		one.TargetRef = &v1.ObjectReference{Kind: "Pod", Namespace: "shop", Name: name, UID: types.UID("uid-" + name)}
	}
	if n%3 == 0 {
		one.Hostname = "h"
	}
	return one
}

func subset() v1.EndpointSubset {
	one := v1.EndpointSubset{}
	for n := random.Intn(3); n > 0; n-- {
		one.Addresses = append(one.Addresses, address())
	}
	for n := random.Intn(3); n > 0; n-- {
		one.NotReadyAddresses = append(one.NotReadyAddresses, address())
	}
	for n := random.Intn(4); n > 0; n-- {
		port := v1.EndpointPort{Name: []string{"http", "dns", ""}[random.Intn(3)], Port: int32(80 + random.Intn(3)), Protocol: []v1.Protocol{"TCP", "UDP"}[random.Intn(2)]}
		if random.Intn(4) == 0 {
			port.AppProtocol = &appProtocol
		}
		one.Ports = append(one.Ports, port)
	}
	return one
}

// A shared pointer: upstream compares ports by it.
var appProtocol = "http"

type packed struct {
	Given  []v1.EndpointSubset `json:"given"`
	Packed []v1.EndpointSubset `json:"packed"`
}

// Ready and not ready addresses of each subset, before and after.
type truncation struct {
	Before [][2]int `json:"before"`
	After  [][2]int `json:"after"`
}

func sizes(subsets []v1.EndpointSubset) [][2]int {
	found := [][2]int{}
	for _, one := range subsets {
		found = append(found, [2]int{len(one.Addresses), len(one.NotReadyAddresses)})
	}
	return found
}

func TestGolden(t *testing.T) {
	var asked input
	given, _ := os.ReadFile(os.Getenv("GOLDEN_INPUT"))
	if err := json.Unmarshal(given, &asked); err != nil {
		t.Fatal(err)
	}
	allPacked := []packed{}
	for i := 0; i < asked.Packed; i++ {
		subsets := []v1.EndpointSubset{}
		for n := 1 + random.Intn(4); n > 0; n-- {
			subsets = append(subsets, subset())
		}
		allPacked = append(allPacked, packed{subsets, endpoints.RepackSubsets(subsets)})
	}
	truncations := []truncation{}
	for i := 0; i < asked.Truncated; i++ {
		one := &v1.Endpoints{}
		for n := 1 + random.Intn(4); n > 0; n-- {
			one.Subsets = append(one.Subsets, v1.EndpointSubset{
				Addresses:         make([]v1.EndpointAddress, random.Intn(700)),
				NotReadyAddresses: make([]v1.EndpointAddress, random.Intn(700)),
			})
		}
		before := sizes(one.Subsets)
		truncateEndpoints(one)
		truncations = append(truncations, truncation{before, sizes(one.Subsets)})
	}
	written, _ := json.Marshal(map[string]any{"packed": allPacked, "truncated": truncations})
	if err := os.WriteFile(os.Getenv("GOLDEN_OUTPUT"), written, 0o600); err != nil {
		t.Fatal(err)
	}
}
