// Prints how robfig/cron, as used by kube-controller-manager, reads schedules: their errors, and the times at which they are due next. Run
// by extract.ts inside the module of scripts/control-plane/kubernetes.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"time"

	_ "time/tzdata"

	"github.com/robfig/cron/v3"
)

type golden struct {
	Schedule string `json:"schedule"`
	// The time zone, if the schedule names none itself.
	Zone  string `json:"zone,omitempty"`
	After string `json:"after,omitempty"`
	// Times in UTC, each the next after the previous one; fewer than five if there are no more.
	Next  []string `json:"next,omitempty"`
	Error string   `json:"error,omitempty"`
	// The search for the next time after these never ends.
	Hangs bool `json:"hangs,omitempty"`
}

var out []golden

func parse(schedule string) (s cron.Schedule, err error) {
	defer func() {
		if r := recover(); r != nil {
			// With the message of pkg/util/parsers of Kubernetes.
			err = fmt.Errorf("invalid schedule format: %v", r)
		}
	}()
	return cron.ParseStandard(schedule)
}

func add(schedule, zone, after string) {
	one := golden{Schedule: schedule, Zone: zone, After: after}
	text := schedule
	if zone != "" {
		text = "TZ=" + zone + " " + schedule
	}
	s, err := parse(text)
	if err != nil {
		one.Error = err.Error()
		one.After = ""
		out = append(out, one)
		return
	}
	t, err := time.Parse(time.RFC3339Nano, after)
	if err != nil {
		panic(err)
	}
	t = t.UTC()
	for i := 0; i < 5; i++ {
		next := make(chan time.Time, 1)
		go func(t time.Time) { next <- s.Next(t) }(t)
		select {
		case t = <-next:
		case <-time.After(2 * time.Second):
			one.Hangs = true
			out = append(out, one)
			return
		}
		if t.IsZero() {
			break
		}
		one.Next = append(one.Next, t.Format(time.RFC3339))
	}
	out = append(out, one)
}

var start = "2026-01-01T00:00:00Z"

func written() {
	for _, schedule := range []string{
		"", " ", "*", "* * * *", "* * * * * *", "* * * * *", "*/15 * * * *", "5/20 * * * *", "0,30,,45 * * * *", ", * * * *", "0 0 * * ?", "? ? ? ? ?",
		"?/2 * * * *", "*-5 * * * *", "*/1 0 13 * 5", "0 0 13 * 5", "0 0 */2 * 5", "0 0 */1 * 5", "0 0 1-31 * 5", "0 0 13 * *", "0 0 * * 1-5",
		"0 0 1 jan *", "0 0 1 JAN,Jul *", "0 0 * * sun", "0 0 * * SAT-SUN", "0 0 * * sun-sat", "0 0 * * 7", "0 0 * * mon/2", "60 * * * *", "0 24 * * *",
		"0 0 0 * *", "0 0 32 * *", "0 0 * 0 *", "0 0 * 13 *", "10-5 * * * *", "1-2-3 * * * *", "1/2/3 * * * *", "*/0 * * * *", "*/-1 * * * *", "-5 * * * *",
		"a * * * *", "1.5 * * * *", "+5 * * * *", "0x5 * * * *", "99999999999999999999 * * * *", "0 0 30 2 *", "0 0 31 2 *", "59 23 31 2 *", "0 0 29 2 *",
		"0 0 31 * *", "0 0 31 4,6,9,11 *", "0 0 1-7 * 1", "30 6-16/4 * * 1-5", "*/7 */5 * * *", "10-20/3 * * * *", "0-59/1 * * * *", "0 12 * 1-12 *",
		"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly", "@Hourly", "@reboot", "@", "@every", "@every ", "@every 1h", "@every 1h30m",
		"@every 90s", "@every 1.5s", "@every 500ms", "@every 0", "@every 0s", "@every -5m", "@every +5m", "@every 5", "@every 5x", "@every 1d", "@every .5h", "@every 5.s",
		"@every .s", "@every 1h1", "@every 3µs", "@every 2540400h", "@every 3000000h", "@every  5m", "\t0\t0 * * *", "0  0 * * * ",
		"TZ=UTC 0 0 * * *", "CRON_TZ=Europe/Berlin 0 6 * * *", "TZ=Mars/Base 0 0 * * *", "TZ= 0 0 * * *", "TZ=UTC", "TZ=UTC @daily", "TZ=Asia/Tokyo @every 1h", "tz=UTC 0 0 * * *",
	} {
		add(schedule, "", start)
		add(schedule, "", "2026-01-01T00:00:00.7Z")
	}
	// Where clocks change: forward and back, at midnight, by half an hour, by a whole day, and between 2 and 3.
	changes := map[string][]string{
		"Europe/Berlin":       {"2026-03-28T20:00:00Z", "2026-10-24T20:00:00Z"},
		"America/New_York":    {"2026-03-08T04:00:00Z", "2026-11-01T03:00:00Z"},
		"America/Sao_Paulo":   {"2018-11-03T12:00:00Z", "2018-02-17T12:00:00Z"},
		"America/Havana":      {"2026-03-07T12:00:00Z", "2026-10-31T12:00:00Z"},
		"Asia/Beirut":         {"2026-03-28T12:00:00Z", "2026-10-24T12:00:00Z"},
		"Australia/Lord_Howe": {"2026-04-04T10:00:00Z", "2026-10-03T10:00:00Z"},
		"Pacific/Apia":        {"2011-12-29T06:00:00Z", "2026-01-01T00:00:00Z"},
		"Asia/Kathmandu":      {"2026-01-01T00:00:00Z"},
		"Africa/Casablanca":   {"2026-02-14T20:00:00Z", "2026-03-21T20:00:00Z"},
		"UTC":                 {"2026-03-28T20:00:00Z"},
	}
	for _, zone := range []string{"Europe/Berlin", "America/New_York", "America/Sao_Paulo", "America/Havana", "Asia/Beirut", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu", "Africa/Casablanca", "UTC"} {
		for _, after := range changes[zone] {
			for _, schedule := range []string{"30 2 * * *", "0 2 * * *", "*/20 1-3 * * *", "0 0 * * *", "30 0 * * *", "0 * * * *", "15 */6 * * *", "0 0 * * 0", "0 3 1 * *", "0 0 1 1 *", "45 23 * * *", "30 1 * * *", "0 0 30 12 *", "@daily", "@every 45m"} {
				add(schedule, zone, after)
			}
		}
	}
	add("0 0 * * *", "Nowhere", start)
}

func random() {
	r := rand.New(rand.NewSource(1))
	zones := []string{"", "", "Europe/London", "America/Los_Angeles", "America/St_Johns", "Asia/Tehran", "Australia/Sydney", "America/Santiago", "Pacific/Auckland"}
	bounds := [][2]int{{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 6}}
	part := func(b [2]int) string {
		n := func() int { return b[0] + r.Intn(b[1]-b[0]+1) }
		switch r.Intn(8) {
		case 0, 1, 2:
			return "*"
		case 3:
			return fmt.Sprintf("*/%d", 1+r.Intn(b[1]))
		case 4:
			return fmt.Sprintf("%d/%d", n(), 1+r.Intn(10))
		case 5:
			x, y := n(), n()
			if x > y {
				x, y = y, x
			}
			return fmt.Sprintf("%d-%d", x, y)
		case 6:
			return fmt.Sprintf("%d,%d", n(), n())
		}
		return fmt.Sprint(n())
	}
	for i := 0; i < 600; i++ {
		fields := make([]string, 5)
		for f, b := range bounds {
			fields[f] = part(b)
		}
		after := time.Date(2015+r.Intn(20), time.Month(1+r.Intn(12)), 1+r.Intn(28), r.Intn(24), r.Intn(60), r.Intn(60), 0, time.UTC)
		add(strings.Join(fields, " "), zones[r.Intn(len(zones))], after.Format(time.RFC3339))
	}
}

func main() {
	time.Local = time.UTC
	written()
	random()
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		panic(err)
	}
}
