// Firehose: an API server stand-in that lists pods and then sends MODIFIED events as fast as the client reads. The real server is slower
// than any client, so only this shows a client's maximum speed. Objects are sent as the real server wrote them, with keys in its order;
// only resourceVersions differ.
//
// usage: firehose -pods list.json -n 1000 -events 100000 [-addr 127.0.0.1:0] [-rate 5000] [-tls ca.crt]
// prints its address first, then one JSON line per watch that received all events. With -rate it sends at most that many events per second;
// with -tls it serves HTTPS, with a generated certificate that it writes to the given file. Each event changes a restartCount. With -rate
// each chunk ends with a bookmark whose name is the time at which it was written, in ms since 1970.
// Requests that a client sends before it watches are answered too: which kinds exist (pods), and whether access is allowed (it is).
package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var version = regexp.MustCompile(`"resourceVersion":"\d+"`)
var restarts = regexp.MustCompile(`"restartCount":\d+`)

// withVersion replaces the first resourceVersion: that of the metadata, which precedes all others.
func withVersion(object []byte, v int) []byte {
	at := version.FindIndex(object)
	out := make([]byte, 0, len(object)+8)
	out = append(out, object[:at[0]]...)
	out = append(out, `"resourceVersion":"`+strconv.Itoa(v)+`"`...)
	return append(out, object[at[1]:]...)
}

// frame builds a watch event; items of a list have no kind, objects of a watch do.
func frame(b *bytes.Buffer, event string, object []byte) {
	b.WriteString(`{"type":"` + event + `","object":{"kind":"Pod","apiVersion":"v1",`)
	b.Write(object[1:])
	b.WriteString("}\n")
}

// mark builds a bookmark that says when it was sent.
func mark(b *bytes.Buffer, v int) {
	now := float64(time.Now().UnixMicro()) / 1000
	fmt.Fprintf(b, `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"%d","name":"sent-%.3f"},"spec":{"containers":null},"status":{}}}`+"\n", v, now)
}

func load(path string, n int) [][]byte {
	raw, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	var l struct{ Items []json.RawMessage }
	if err := json.Unmarshal(raw, &l); err != nil {
		panic(err)
	}
	objects := make([][]byte, n)
	for i := range objects {
		objects[i] = withVersion(l.Items[i], 1000+i)
	}
	return objects
}

// templates are frames for a change of each object, split at the version and the restartCount.
func templates(objects [][]byte) [][3][]byte {
	all := make([][3][]byte, len(objects))
	for i, object := range objects {
		var b bytes.Buffer
		frame(&b, "MODIFIED", object)
		whole := b.Bytes()
		v := version.FindIndex(whole)
		c := restarts.FindIndex(whole)
		if c == nil {
			c = []int{len(whole), len(whole)}
		}
		all[i] = [3][]byte{whole[:v[0]], whole[v[1]:c[0]], whole[c[1]:]}
	}
	return all
}

// send writes events in chunks of 100 frames, or of 20 ms if there is a rate; a slow client slows it down.
func send(w http.ResponseWriter, fl http.Flusher, all [][3][]byte, events int, rate int) (total int, err error) {
	size := 100
	if rate > 0 {
		size = max(1, rate/50)
	}
	var b bytes.Buffer
	begun := time.Now()
	for i := 0; i < events; i++ {
		parts := all[i%len(all)]
		b.Write(parts[0])
		b.WriteString(`"resourceVersion":"` + strconv.Itoa(100001+i) + `"`)
		b.Write(parts[1])
		if len(parts[2]) > 0 {
			b.WriteString(`"restartCount":` + strconv.Itoa(1+i/len(all)))
		}
		b.Write(parts[2])
		if (i+1)%size != 0 && i != events-1 {
			continue
		}
		if rate > 0 {
			mark(&b, 100001+i)
		}
		total += b.Len()
		if _, err = w.Write(b.Bytes()); err != nil {
			return
		}
		b.Reset()
		if rate > 0 {
			fl.Flush()
			time.Sleep(time.Until(begun.Add(time.Duration(i+1) * time.Second / time.Duration(rate))))
		}
	}
	fl.Flush()
	return
}

// preface answers a client's first requests.
func preface(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == "POST" && strings.HasSuffix(r.URL.Path, "selfsubjectaccessreviews"):
		w.WriteHeader(201)
		w.Write([]byte(`{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{},"spec":{},"status":{"allowed":true}}`))
	case r.URL.Path == "/version":
		w.Write([]byte(`{"major":"1","minor":"36","gitVersion":"v1.36.3"}`))
	case r.URL.Path == "/api":
		w.Write([]byte(`{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[]}`))
	case r.URL.Path == "/apis":
		w.Write([]byte(`{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`))
	case r.URL.Path == "/api/v1":
		w.Write([]byte(`{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["get","list","watch"],"shortNames":["po"]}]}`))
	default:
		w.WriteHeader(404)
		w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`))
	}
}

// certificate creates a self-signed one for 127.0.0.1, and writes it to a file for clients.
func certificate(path string) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "firehose"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644); err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func main() {
	pods := flag.String("pods", "", "a saved PodList")
	m := flag.Int("events", 100000, "events a watch")
	n := flag.Int("n", 1000, "objects listed")
	addr := flag.String("addr", "127.0.0.1:0", "")
	rate := flag.Int("rate", 0, "events a second; 0: as fast as the client reads")
	ca := flag.String("tls", "", "serve HTTPS, and write the certificate here")
	flag.Parse()
	objects := load(*pods, *n)
	list := []byte(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"100000"},"items":[` + string(bytes.Join(objects, []byte(","))) + "]}")
	var initial bytes.Buffer
	for _, object := range objects {
		frame(&initial, "ADDED", object)
	}
	initial.WriteString(`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"100000","annotations":{"k8s.io/initial-events-end":"true"}},"spec":{"containers":null},"status":{}}}` + "\n")
	all := templates(objects)
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		w.Header().Set("Content-Type", "application/json")
		if !strings.HasSuffix(r.URL.Path, "/pods") {
			preface(w, r)
			return
		}
		if q.Get("watch") != "true" && q.Get("watch") != "1" {
			w.Write(list)
			return
		}
		fl := w.(http.Flusher)
		w.WriteHeader(200)
		fl.Flush()
		if q.Get("sendInitialEvents") == "true" {
			w.Write(initial.Bytes())
			fl.Flush()
		}
		time.Sleep(300 * time.Millisecond)
		t := time.Now()
		total, err := send(w, fl, all, *m, *rate)
		if err != nil {
			return
		}
		fmt.Printf("{\"phase\":\"sent\",\"bytes\":%d,\"ms\":%d}\n", total, time.Since(t).Milliseconds())
		<-r.Context().Done()
	})
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		panic(err)
	}
	if *ca == "" {
		fmt.Printf("http://%s\n", listener.Addr())
		panic(http.Serve(listener, nil))
	}
	// HTTP/1.1, as in our client: each watch has its own connection.
	server := &http.Server{TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate(*ca)}}, TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}}
	fmt.Printf("https://%s\n", listener.Addr())
	panic(server.ServeTLS(listener, "", ""))
}
