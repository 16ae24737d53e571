// A year of CronJobs in kube-controller-manager's own controller: its syncs on a clock that is advanced from one wake-up to the next.
// Compiled into a copy of pkg/controller/cronjob; see extract.ts.
package cronjob

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
)

// plan is a CronJob and what happens to it. Times are in seconds since 1970.
type plan struct {
	Name     string `json:"name"`
	Schedule string `json:"schedule"`
	TimeZone string `json:"timeZone"`
	Policy   string `json:"policy"`
	Deadline *int64 `json:"deadline,omitempty"`
	// How many seconds its Jobs take, one after the other, then from the first again.
	Seconds []int64 `json:"seconds"`
	// It is suspended at the first time and resumed at the second.
	Suspended []int64 `json:"suspended,omitempty"`
}

type year struct {
	Start int64  `json:"start"`
	End   int64  `json:"end"`
	Plans []plan `json:"plans"`
}

// outcome is the result: each list with repetitions as "value×times".
type outcome struct {
	Name string `json:"name"`
	// Minutes from one run's name to the next; the first from the start of the year.
	Runs string `json:"runs"`
	// Offsets from UTC in the annotation with the scheduled time.
	Offsets string `json:"offsets"`
	// Whole seconds from the scheduled time until the Job was created.
	Late string `json:"late"`
	// How many younger Jobs there were when a Job was deleted.
	Deleted string `json:"deleted"`
	// lastScheduleTime and lastSuccessfulTime at the end, and how many Jobs are active.
	Status string `json:"status"`
}

type life struct {
	at      time.Time
	plan    plan
	cronJob *batchv1.CronJob
	jobs    []*batchv1.Job
	ends    map[string]time.Time
	made    int

	names, offsets, late, deleted []string
	last                          int64
}

func (l *life) GetCronJob(context.Context, string, string) (*batchv1.CronJob, error) {
	return l.cronJob.DeepCopy(), nil
}

func (l *life) UpdateStatus(_ context.Context, cronJob *batchv1.CronJob) (*batchv1.CronJob, error) {
	// A server stores whole seconds.
	l.cronJob.Status = *cronJob.Status.DeepCopy()
	return l.cronJob.DeepCopy(), nil
}

func (l *life) GetJob(_, name string) (*batchv1.Job, error) {
	for _, job := range l.jobs {
		if job.Name == name {
			return job, nil
		}
	}
	return nil, errors.NewNotFound(batchv1.Resource("jobs"), name)
}

func (l *life) CreateJob(_ string, job *batchv1.Job) (*batchv1.Job, error) {
	if _, err := l.GetJob("", job.Name); err == nil {
		return nil, errors.NewAlreadyExists(batchv1.Resource("jobs"), job.Name)
	}
	job = job.DeepCopy()
	job.Namespace = l.cronJob.Namespace
	job.UID = types.UID(job.Name)
	job.CreationTimestamp = metav1.NewTime(l.at.Truncate(time.Second))
	start := job.CreationTimestamp
	job.Status.StartTime = &start
	l.jobs = append(l.jobs, job)
	l.ends[job.Name] = l.at.Add(time.Duration(l.plan.Seconds[l.made%len(l.plan.Seconds)]) * time.Second)
	l.made++

	var minute int64
	fmt.Sscanf(job.Name[strings.LastIndex(job.Name, "-")+1:], "%d", &minute)
	l.names = append(l.names, fmt.Sprint(minute-l.last))
	l.last = minute
	stamp := job.Annotations[batchv1.CronJobScheduledTimestampAnnotation]
	l.offsets = append(l.offsets, stamp[len("2027-03-01T00:00:00"):])
	scheduled, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return nil, err
	}
	l.late = append(l.late, fmt.Sprint(int64(start.Sub(scheduled).Seconds())))
	return job, nil
}

func (l *life) DeleteJob(_, name string) error {
	for index, job := range l.jobs {
		if job.Name == name {
			l.deleted = append(l.deleted, fmt.Sprint(len(l.jobs)-1-index))
			l.jobs = append(l.jobs[:index:index], l.jobs[index+1:]...)
			delete(l.ends, name)
			return nil
		}
	}
	return errors.NewNotFound(batchv1.Resource("jobs"), name)
}

// sync is ControllerV2.sync without listers, repeated as long as its changes would enqueue the CronJob again.
func (l *life) sync(t *testing.T) *time.Duration {
	controller := &ControllerV2{jobControl: l, cronJobControl: l, recorder: &record.FakeRecorder{}, now: func() time.Time { return l.at }}
	var wake *time.Duration
	for range 10 {
		cronJob := l.cronJob.DeepCopy()
		jobs := append([]*batchv1.Job{}, l.jobs...)
		made := l.made
		cleaned := controller.cleanupFinishedJobs(t.Context(), cronJob, jobs)
		after, changed, err := controller.syncCronJob(t.Context(), cronJob, jobs)
		if err != nil {
			t.Fatal(l.plan.Name, l.at, err)
		}
		if after != nil && (wake == nil || *after < *wake) {
			wake = after
		}
		if !cleaned && !changed && made == l.made {
			return wake
		}
		_, _ = l.UpdateStatus(t.Context(), cronJob)
	}
	t.Fatal(l.plan.Name, l.at, "does not come to rest")
	return nil
}

func (l *life) finish(name string) {
	job, _ := l.GetJob("", name)
	now := metav1.NewTime(l.at.Truncate(time.Second))
	job.Status.CompletionTime = &now
	job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: v1.ConditionTrue}}
	delete(l.ends, name)
}

func (l *life) through(t *testing.T, of year) outcome {
	end := time.Unix(of.End, 0)
	wakes := []time.Time{time.Unix(of.Start, 0)}
	for {
		// Whichever comes first: a wake-up, the end of a Job, a change of spec.suspend.
		l.at = end
		for _, at := range wakes {
			l.at = earlier(l.at, at)
		}
		for _, at := range l.ends {
			l.at = earlier(l.at, at)
		}
		for _, at := range l.plan.Suspended {
			if moment := time.Unix(at, 0); moment.After(time.Unix(of.Start, 0)) && l.suspendedUntil(at) {
				l.at = earlier(l.at, moment)
			}
		}
		if !l.at.Before(end) {
			break
		}
		for name, at := range l.ends {
			if !at.After(l.at) {
				l.finish(name)
			}
		}
		l.applySuspension()
		later := wakes[:0]
		for _, at := range wakes {
			if at.After(l.at) {
				later = append(later, at)
			}
		}
		wakes = later
		if after := l.sync(t); after != nil {
			// A delaying queue keeps the earliest time of a key.
			at := l.at.Add(*after)
			if len(wakes) == 0 || at.Before(wakes[0]) {
				wakes = []time.Time{at}
			}
		}
	}
	status := l.cronJob.Status
	return outcome{
		Name: l.plan.Name, Runs: repeated(l.names), Offsets: repeated(l.offsets), Late: repeated(l.late), Deleted: repeated(l.deleted),
		Status: fmt.Sprintf("%s %s %d", text(status.LastScheduleTime), text(status.LastSuccessfulTime), len(status.Active)),
	}
}

// suspendedUntil reports whether the change at that time is still to come.
func (l *life) suspendedUntil(at int64) bool {
	suspended := l.cronJob.Spec.Suspend != nil && *l.cronJob.Spec.Suspend
	if at == l.plan.Suspended[0] {
		return !suspended && l.cronJob.Spec.Suspend == nil
	}
	return suspended
}

func (l *life) applySuspension() {
	for index, at := range l.plan.Suspended {
		if l.suspendedUntil(at) && !l.at.Before(time.Unix(at, 0)) {
			suspend := index == 0
			l.cronJob.Spec.Suspend = &suspend
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func text(at *metav1.Time) string {
	if at == nil {
		return "-"
	}
	return at.UTC().Format(time.RFC3339)
}

func repeated(values []string) string {
	var parts []string
	for index := 0; index < len(values); {
		next := index
		for next < len(values) && values[next] == values[index] {
			next++
		}
		if next-index == 1 {
			parts = append(parts, values[index])
		} else {
			parts = append(parts, fmt.Sprintf("%s×%d", values[index], next-index))
		}
		index = next
	}
	return strings.Join(parts, " ")
}

func TestGolden(t *testing.T) {
	var of year
	input, err := os.ReadFile(os.Getenv("GOLDEN_INPUT"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(input, &of); err != nil {
		t.Fatal(err)
	}
	three, one := int32(3), int32(1)
	var outcomes []outcome
	for _, plan := range of.Plans {
		zone := plan.TimeZone
		cronJob := &batchv1.CronJob{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: plan.Name, UID: "1", CreationTimestamp: metav1.Unix(of.Start, 0)},
			Spec: batchv1.CronJobSpec{
				Schedule: plan.Schedule, TimeZone: &zone, ConcurrencyPolicy: batchv1.ConcurrencyPolicy(plan.Policy),
				StartingDeadlineSeconds: plan.Deadline, SuccessfulJobsHistoryLimit: &three, FailedJobsHistoryLimit: &one,
			},
		}
		l := &life{plan: plan, cronJob: cronJob, ends: map[string]time.Time{}, last: of.Start / 60}
		outcomes = append(outcomes, l.through(t, of))
	}
	output, err := json.Marshal(outcomes)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(os.Getenv("GOLDEN_OUTPUT"), output, 0o600); err != nil {
		t.Fatal(err)
	}
}
