// A typical client-go program: shared informers of ConfigMaps and Pods with client-go's defaults (WatchList, protobuf preferred; ACCEPT
// names the only media type to accept). It prints one JSON line for each `dump` on its standard input: the contents of its caches, and the
// errors so far.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// Handler notifications, by event.
type told struct{ Added, Updated, Deleted int }

type dump struct {
	// "configmaps/default/a" to "uid resourceVersion".
	Objects map[string]string `json:"objects"`
	// The same, according to the handlers: it must not differ from the caches.
	Handled map[string]string `json:"handled"`
	Told    told              `json:"told"`
	Errors  []string          `json:"errors"`
	// Deletions that were only noticed by a relist.
	Tombstones int               `json:"tombstones"`
	Version    map[string]string `json:"version"`
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		panic(err)
	}
	config.QPS, config.Burst = -1, -1
	if only := os.Getenv("ACCEPT"); only != "" {
		config.ContentType, config.AcceptContentTypes = only, only
	}
	client := kubernetes.NewForConfigOrDie(config)
	factory := informers.NewSharedInformerFactory(client, 0)
	all := map[string]cache.SharedIndexInformer{
		"configmaps": factory.Core().V1().ConfigMaps().Informer(),
		"pods":       factory.Core().V1().Pods().Informer(),
	}
	var mutex sync.Mutex
	state := dump{Handled: map[string]string{}, Errors: []string{}}
	for resource, informer := range all {
		keep := func(object any, count *int, gone bool) {
			tombstone := false
			if lost, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = lost.Obj
				tombstone = true
			}
			mutex.Lock()
			defer mutex.Unlock()
			if tombstone {
				state.Tombstones++
			}
			*count++
			key, value := entry(resource, object)
			if gone {
				delete(state.Handled, key)
			} else {
				state.Handled[key] = value
			}
		}
		must(informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { keep(object, &state.Told.Added, false) },
			UpdateFunc: func(_, object any) { keep(object, &state.Told.Updated, false) },
			DeleteFunc: func(object any) { keep(object, &state.Told.Deleted, true) },
		}))
		must(nil, informer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) {
			mutex.Lock()
			defer mutex.Unlock()
			if len(state.Errors) < 50 {
				state.Errors = append(state.Errors, resource+": "+err.Error())
			}
		}))
	}
	factory.Start(context.Background().Done())
	factory.WaitForCacheSync(timeout(60 * time.Second))
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		mutex.Lock()
		state.Objects, state.Version = map[string]string{}, map[string]string{}
		for resource, informer := range all {
			state.Version[resource] = informer.LastSyncResourceVersion()
			for _, object := range informer.GetStore().List() {
				key, value := entry(resource, object)
				state.Objects[key] = value
			}
		}
		must(nil, json.NewEncoder(os.Stdout).Encode(state))
		mutex.Unlock()
	}
}

func entry(resource string, object any) (key, value string) {
	accessor, err := meta.Accessor(object)
	must(nil, err)
	key = resource + "/" + accessor.GetNamespace() + "/" + accessor.GetName()
	return key, string(accessor.GetUID()) + " " + accessor.GetResourceVersion()
}

func timeout(after time.Duration) <-chan struct{} {
	stop := make(chan struct{})
	time.AfterFunc(after, func() { close(stop) })
	return stop
}

func must(_ any, err error) {
	if err != nil {
		panic(err)
	}
}
