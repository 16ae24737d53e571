// Package ours runs a controller of kubectl-reconcile where a controller of kube-controller-manager would run.
//
// The build (../build.ts) copies it into the source tree of Kubernetes and inserts a call to Run at the top of a controller's own Run.
package ours

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// programEnv names the program that runs the controllers. If it is empty, Kubernetes' own controllers run.
const programEnv = "KUBECTL_RECONCILE"

// With options, the controller runs from the file that configuredEnv names, with the program of fromSourcesEnv; the file reads the options
// from optionsEnv, as JSON. Without these, options are omitted.
const (
	configuredEnv  = "KUBECTL_RECONCILE_CONFIGURED"
	fromSourcesEnv = "KUBECTL_RECONCILE_FROM_SOURCES"
	optionsEnv     = "KUBECTL_RECONCILE_OPTIONS"
)

// Options are the options of one of our controllers, by name. Durations are in milliseconds.
type Options map[string]any

// stopWithin is how long the program may take to exit after an interrupt.
const stopWithin = 20 * time.Second

// teardownWithin is how long a test may take to cancel its context after it has stopped the server: the program may exit in between.
const teardownWithin = 30 * time.Second

// The client configuration of a test server has these limits (cmd/kube-apiserver/app/testing/testserver.go).
const qps, burst = 1000, 10000

var remembered kubernetes.Interface

// Remember stores the client of a controller that does not store it itself; see Remembered.
func Remember(client kubernetes.Interface) { remembered = client }

// Remembered returns the last client passed to Remember.
func Remembered() kubernetes.Interface { return remembered }

// Runs reports whether a program is set.
func Runs() bool { return os.Getenv(programEnv) != "" }

// Run runs the named controller in a separate process until ctx is done, and returns true. Zero workers means the controller's default;
// flags are additional flags of `run`. It returns false immediately if no program is set. If the program exits before ctx is done, it
// panics, so the test fails.
func Run(ctx context.Context, client kubernetes.Interface, controller string, workers int, options Options, flags ...string) bool {
	wait := Start(ctx, client, controller, workers, options, flags...)
	if wait == nil {
		return false
	}
	wait()
	return true
}

// Start is Run without the wait: the returned function waits for ctx and until the program exits. It is nil if no program is set.
func Start(ctx context.Context, client kubernetes.Interface, controller string, workers int, options Options, flags ...string) func() {
	program := os.Getenv(programEnv)
	if program == "" {
		return nil
	}
	stop, err := start(ctx, program, client, controller, workers, options, flags)
	if err != nil {
		panic(err)
	}
	return func() {
		<-ctx.Done()
		stop()
	}
}

func start(ctx context.Context, program string, client kubernetes.Interface, controller string, workers int, options Options, flags []string) (func(), error) {
	address, closeProxy, err := proxyTo(client)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "controller")
	if err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(folder, "kubeconfig")
	if err := os.WriteFile(kubeconfig, []byte(kubeconfigOf(address)), 0o600); err != nil {
		return nil, err
	}
	environment := os.Environ()
	argument := controller
	if configured := os.Getenv(configuredEnv); options != nil && configured != "" {
		text, err := json.Marshal(map[string]any{"controller": controller, "options": options.inMilliseconds()})
		if err != nil {
			return nil, err
		}
		program, argument = os.Getenv(fromSourcesEnv), configured
		environment = append(environment, optionsEnv+"="+string(text))
	}
	args := []string{"run", argument, "--kubeconfig", kubeconfig, "--all-namespaces", "--force",
		"--kube-api-qps", strconv.Itoa(qps), "--kube-api-burst", strconv.Itoa(burst)}
	if workers > 0 {
		args = append(args, "--workers", strconv.Itoa(workers))
	}
	command := exec.Command(program, append(args, flags...)...)
	command.Env = environment
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	ended := make(chan error, 1)
	go func() {
		err := command.Wait()
		select {
		case <-ctx.Done():
		case <-time.After(teardownWithin):
			panic(fmt.Sprintf("%s run %s ended: %v", program, controller, err))
		}
		ended <- err
	}()
	return func() {
		_ = command.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(stopWithin):
			_ = command.Process.Kill()
			<-ended
		}
		closeProxy()
		_ = os.RemoveAll(folder)
	}, nil
}

func (o Options) inMilliseconds() map[string]any {
	all := map[string]any{}
	for name, value := range o {
		if duration, ok := value.(time.Duration); ok {
			value = duration.Milliseconds()
		}
		all[name] = value
	}
	return all
}

// proxyTo serves the API server of a client on a loopback port with the client's credentials. It returns host and port.
func proxyTo(client kubernetes.Interface) (string, func(), error) {
	rest, ok := client.Discovery().RESTClient().(*rest.RESTClient)
	if !ok {
		return "", nil, errors.New("not a client of an API server")
	}
	target := *rest.Get().URL()
	target.Path = ""
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(request *httputil.ProxyRequest) { request.SetURL(&target) },
		Transport:     rest.Client.Transport,
		FlushInterval: -1,
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: proxy}
	go func() { _ = server.Serve(listener) }()
	return listener.Addr().String(), func() { _ = server.Close() }, nil
}

func kubeconfigOf(address string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: test
contexts: [{name: test, context: {cluster: test, user: test}}]
clusters: [{name: test, cluster: {server: "http://%s"}}]
users: [{name: test, user: {}}]
`, address)
}

// ReadOnly returns a client whose writes fail. It keeps the garbage collector's graph up to date: tests inspect the graph, and only its
// workers find out that an owner does not exist.
func ReadOnly(client metadata.Interface) metadata.Interface { return readOnly{client} }

type readOnly struct{ metadata.Interface }

func (c readOnly) Resource(resource schema.GroupVersionResource) metadata.Getter {
	return readOnlyGetter{c.Interface.Resource(resource)}
}

type readOnlyGetter struct{ metadata.Getter }

func (g readOnlyGetter) Namespace(namespace string) metadata.ResourceInterface {
	return readOnlyResource{g.Getter.Namespace(namespace)}
}

type readOnlyResource struct{ metadata.ResourceInterface }

var errReadOnly = errors.New("this garbage collector only looks on")

func (readOnlyResource) Delete(context.Context, string, metav1.DeleteOptions, ...string) error {
	return errReadOnly
}

func (readOnlyResource) DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error {
	return errReadOnly
}

func (readOnlyResource) Patch(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (*metav1.PartialObjectMetadata, error) {
	return nil, errReadOnly
}
