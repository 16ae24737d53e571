// Back-offs of Jobs, computed by kube-controller-manager's own functions. Compiled into a copy of pkg/controller/job; see extract.ts.
package job

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	testingclock "k8s.io/utils/clock/testing"
)

// Times are in seconds from the start.

type round struct {
	Succeeded []int64 `json:"succeeded"`
	Failed    []int64 `json:"failed"`
	// After the pods that have finished since the previous round.
	Failures int32  `json:"failures"`
	Last     *int64 `json:"last,omitempty"`
	NowMs    int64  `json:"nowMs"`
	WaitMs   int64  `json:"waitMs"`
}

type ofIndex struct {
	Counted int   `json:"counted"`
	Ignored int   `json:"ignored"`
	Ended   int64 `json:"ended"`
	NowMs   int64 `json:"nowMs"`
	WaitMs  int64 `json:"waitMs"`
}

// run is a Job whose pods each fail after `takes`, with the time at which each of them is created.
type run struct {
	Takes   int64   `json:"takes"`
	Created []int64 `json:"created"`
}

type input struct {
	Seed     int64 `json:"seed"`
	Jobs     int   `json:"jobs"`
	Indexes  int   `json:"indexes"`
	Failures int   `json:"failures"`
	Takes    int64 `json:"takes"`
}

type output struct {
	Jobs    [][]round `json:"jobs"`
	Indexes []ofIndex `json:"indexes"`
	Run     run       `json:"run"`
	Index   run       `json:"index"`
}

var beginning = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(second int64) time.Time { return beginning.Add(time.Duration(second) * time.Second) }

func clockAt(ms int64) *testingclock.FakeClock {
	return testingclock.NewFakeClock(beginning.Add(time.Duration(ms) * time.Millisecond))
}

func ended(second int64) *v1.Pod {
	finished := metav1.NewTime(at(second))
	terminated := v1.ContainerState{Terminated: &v1.ContainerStateTerminated{FinishedAt: finished}}
	return &v1.Pod{Status: v1.PodStatus{ContainerStatuses: []v1.ContainerStatus{{State: terminated}}}}
}

func endedAll(seconds []int64) []*v1.Pod {
	var pods []*v1.Pod
	for _, second := range seconds {
		pods = append(pods, ended(second))
	}
	return pods
}

func (r *round) play(t *testing.T, store *backoffStore) {
	record := store.newBackoffRecord("job", endedAll(r.Succeeded), endedAll(r.Failed))
	r.Failures = record.failuresAfterLastSuccess
	if record.lastFailureTime != nil {
		last := int64(record.lastFailureTime.Sub(beginning).Seconds())
		r.Last = &last
	}
	r.WaitMs = record.getRemainingTime(clockAt(r.NowMs), DefaultJobPodFailureBackOff, MaxJobPodFailureBackOff).Milliseconds()
	if err := store.updateBackoffRecord(record); err != nil {
		t.Fatal(err)
	}
}

func failedOfIndex(counted, ignored int, second int64) *v1.Pod {
	pod := ended(second)
	pod.Annotations = map[string]string{
		batchv1.JobIndexFailureCountAnnotation:        fmt.Sprint(counted),
		batchv1.JobIndexIgnoredFailureCountAnnotation: fmt.Sprint(ignored),
	}
	return pod
}

func TestGolden(t *testing.T) {
	var given input
	text, err := os.ReadFile(os.Getenv("GOLDEN_INPUT"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &given); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewSource(given.Seed))
	logger := klog.Background()
	var out output
	for range given.Jobs {
		store := newBackoffStore()
		var rounds []round
		now := int64(0)
		for range 1 + random.Intn(8) {
			next := round{Succeeded: []int64{}, Failed: []int64{}}
			for range random.Intn(4) {
				next.Failed = append(next.Failed, now+random.Int63n(60))
			}
			if random.Intn(4) == 0 {
				next.Succeeded = append(next.Succeeded, now+random.Int63n(60))
			}
			now += 60 + random.Int63n(500)
			next.NowMs = now*1000 - random.Int63n(500_000)
			next.play(t, store)
			rounds = append(rounds, next)
		}
		out.Jobs = append(out.Jobs, rounds)
	}
	waitOfIndex := func(counted, ignored int, second, nowMs int64) int64 {
		pod := failedOfIndex(counted, ignored, second)
		return getRemainingTimePerIndex(logger, clockAt(nowMs), DefaultJobPodFailureBackOff, MaxJobPodFailureBackOff, pod).Milliseconds()
	}
	for range given.Indexes {
		one := ofIndex{Counted: random.Intn(9), Ignored: random.Intn(4), Ended: random.Int63n(100)}
		one.NowMs = one.Ended*1000 + random.Int63n(700_000)
		one.WaitMs = waitOfIndex(one.Counted, one.Ignored, one.Ended, one.NowMs)
		out.Indexes = append(out.Indexes, one)
	}
	store := newBackoffStore()
	out.Run.Takes, out.Index.Takes = given.Takes, given.Takes
	job, index := int64(0), int64(0)
	for failed := range given.Failures {
		out.Run.Created = append(out.Run.Created, job)
		job += given.Takes
		next := round{Failed: []int64{job}, NowMs: job * 1000}
		next.play(t, store)
		job += next.WaitMs / 1000

		out.Index.Created = append(out.Index.Created, index)
		index += given.Takes
		index += waitOfIndex(failed, 0, index, index*1000) / 1000
	}
	written, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(os.Getenv("GOLDEN_OUTPUT"), written, 0o600); err != nil {
		t.Fatal(err)
	}
}
