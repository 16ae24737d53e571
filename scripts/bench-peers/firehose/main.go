// Firehose: an API server stand-in that lists pods and then sends MODIFIED events as fast as the client reads. The real server is
// slower than any client, so this is what tells what a client can take. Objects are sent as the real server wrote them, keys in its
// order; only resourceVersions are other ones.
//
// usage: firehose -pods list.json -n 1000 -events 100000 [-addr 127.0.0.1:0]
// prints its address first, then one JSON line a watch that took all events.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var version = regexp.MustCompile(`"resourceVersion":"\d+"`)

// withVersion replaces the first resourceVersion: metadata's, which comes before all others.
func withVersion(object []byte, v int) []byte {
	at := version.FindIndex(object)
	out := make([]byte, 0, len(object)+8)
	out = append(out, object[:at[0]]...)
	out = append(out, `"resourceVersion":"`+strconv.Itoa(v)+`"`...)
	return append(out, object[at[1]:]...)
}

// frame is a watch event; items of a list have no kind, objects of a watch do.
func frame(b *bytes.Buffer, event string, object []byte) {
	b.WriteString(`{"type":"` + event + `","object":{"kind":"Pod","apiVersion":"v1",`)
	b.Write(object[1:])
	b.WriteString("}\n")
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

func main() {
	pods := flag.String("pods", "", "a saved PodList")
	m := flag.Int("events", 100000, "events a watch")
	n := flag.Int("n", 1000, "objects listed")
	addr := flag.String("addr", "127.0.0.1:0", "")
	flag.Parse()
	objects := load(*pods, *n)
	list := []byte(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"100000"},"items":[` + string(bytes.Join(objects, []byte(","))) + "]}")
	var initial bytes.Buffer
	for _, object := range objects {
		frame(&initial, "ADDED", object)
	}
	initial.WriteString(`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"100000","annotations":{"k8s.io/initial-events-end":"true"}},"spec":{"containers":null},"status":{}}}` + "\n")
	// Made before, in chunks of 100 frames.
	var chunks [][]byte
	var b bytes.Buffer
	total := 0
	for i := 0; i < *m; i++ {
		frame(&b, "MODIFIED", withVersion(objects[i%*n], 100001+i))
		if i%100 == 99 || i == *m-1 {
			chunks = append(chunks, append([]byte(nil), b.Bytes()...))
			total += b.Len()
			b.Reset()
		}
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		w.Header().Set("Content-Type", "application/json")
		if !strings.HasSuffix(r.URL.Path, "/pods") {
			w.WriteHeader(404)
			w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`))
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
		for _, c := range chunks {
			if _, err := w.Write(c); err != nil {
				return
			}
		}
		fl.Flush()
		fmt.Printf("{\"phase\":\"sent\",\"bytes\":%d,\"ms\":%d}\n", total, time.Since(t).Milliseconds())
		<-r.Context().Done()
	})
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		panic(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	panic(http.Serve(listener, nil))
}
