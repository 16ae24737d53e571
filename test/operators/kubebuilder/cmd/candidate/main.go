// A candidate of client-go's leader election: while it leads it writes its name into a ConfigMap, until SIGTERM.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const namespace, every = "default", 50 * time.Millisecond

func main() {
	identity := os.Args[1]
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		panic(err)
	}
	config.QPS = -1
	config.UserAgent = "go-candidate"
	client := kubernetes.NewForConfigOrDie(config)
	terminated, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	candidacy, resign := context.WithCancel(context.Background())
	var working sync.WaitGroup
	go func() {
		<-terminated.Done()
		// What leads must have ended before the Lease is given back.
		working.Wait()
		resign()
	}()
	leaderelection.RunOrDie(candidacy, leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: "leader"},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
		},
		ReleaseOnCancel: true,
		LeaseDuration:   4 * time.Second,
		RenewDeadline:   3 * time.Second,
		RetryPeriod:     500 * time.Millisecond,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(leading context.Context) {
				working.Add(1)
				defer working.Done()
				for count := 0; leading.Err() == nil && terminated.Err() == nil; count++ {
					body := fmt.Sprintf(`{"data":{"by":%q,"count":"%d"}}`, identity, count)
					maps := client.CoreV1().ConfigMaps(namespace)
					_, err := maps.Patch(leading, "work", types.MergePatchType, []byte(body), metav1.PatchOptions{})
					if err != nil {
						fmt.Fprintln(os.Stderr, err)
					}
					time.Sleep(every)
				}
			},
			OnStoppedLeading: func() { fmt.Println("stopped") },
		},
	})
}
