// asynq: its server with the default lease. The same as hits.py and producing.py, for Go. It has no bulk send, so a bulk
// send runs fifty at the same time.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hibiken/asynq"
	"golang.org/x/sys/unix"
)

const lanes = 50

type body struct {
	I int     `json:"i"`
	T float64 `json:"t"`
}

type quiet struct{}

func (quiet) Debug(...any) {}
func (quiet) Info(...any)  {}
func (quiet) Warn(...any)  {}
func (quiet) Error(...any) {}
func (quiet) Fatal(arguments ...any) {
	fmt.Fprintln(os.Stderr, arguments...)
	os.Exit(1)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func number(name string) float64 {
	value, _ := strconv.ParseFloat(os.Getenv("PEER_"+name), 64)
	return value
}

// The clock that Python's time.monotonic reads.
func now() float64 {
	var at unix.Timespec
	check(unix.ClockGettime(unix.CLOCK_MONOTONIC, &at))
	return float64(at.Nano()) / 1e9
}

func cpu() float64 {
	var used syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}

func report(name string, figures any) {
	path := os.Getenv("PEER_REPORT") + "." + name
	text, err := json.Marshal(figures)
	check(err)
	check(os.WriteFile(path+".part", text, 0o644))
	check(os.Rename(path+".part", path))
}

func write(what string, message body) {
	ledger, err := os.OpenFile(os.Getenv("PEER_LEDGER"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	check(err)
	_, err = fmt.Fprintf(ledger, "%s %d %.3f %d\n", what, message.I, now(), os.Getpid())
	check(err)
	check(ledger.Close())
}

type worker struct {
	lock      sync.Mutex
	count     int
	first     float64
	latencies []float64
}

func (w *worker) handle(_ context.Context, task *asynq.Task) error {
	var message body
	if err := json.Unmarshal(task.Payload(), &message); err != nil {
		return err
	}
	if os.Getenv("PEER_LEDGER") != "" {
		write("begin", message)
		seconds := number("SECONDS") * (0.5 + float64(message.I*37%100)/100)
		time.Sleep(time.Duration(seconds * float64(time.Second)))
		write("end", message)
		return nil
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	messages := int(number("MESSAGES"))
	w.count++
	if 1 < w.count && w.count < messages {
		return nil
	}
	at := now()
	if w.count == 1 {
		w.first = at
		report("started", map[string]float64{"cpu": cpu()})
	}
	if w.count == messages {
		report("drained", map[string]float64{"first": w.first, "last": at, "cpu": cpu(), "pid": float64(os.Getpid())})
	} else if w.count > messages {
		w.latencies = append(w.latencies, at-message.T)
		if len(w.latencies) == int(number("PROBES")) {
			report("probed", map[string][]float64{"latencies": w.latencies})
		}
	}
	return nil
}

func produce(redis asynq.RedisClientOpt, queue string) {
	client := asynq.NewClient(redis)
	defer client.Close()
	add := func(i int, t float64) {
		payload, err := json.Marshal(body{i, t})
		check(err)
		_, err = client.Enqueue(asynq.NewTask("noop", payload), asynq.Queue(queue))
		check(err)
	}
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		from, _ := strconv.Atoi(words[1])
		to, _ := strconv.Atoi(words[2])
		start := now()
		switch words[0] {
		case "seq":
			for i := from; i < to; i++ {
				add(i, 0)
			}
		case "bulk":
			numbers := make(chan int)
			var group sync.WaitGroup
			for range lanes {
				group.Go(func() {
					for i := range numbers {
						add(i, 0)
					}
				})
			}
			for i := from; i < to; i++ {
				numbers <- i
			}
			close(numbers)
			group.Wait()
		case "probe":
			rate, _ := strconv.ParseFloat(words[3], 64)
			due := start
			for i := from; i < to; i++ {
				add(i, now())
				due += 1 / rate
				time.Sleep(time.Duration((due - now()) * float64(time.Second)))
			}
		}
		fmt.Printf("{\"seconds\": %f}\n", now()-start)
	}
}

func main() {
	address, err := url.Parse(os.Getenv("PEER_URL"))
	check(err)
	redis, queue := asynq.RedisClientOpt{Addr: address.Host}, os.Getenv("PEER_QUEUE")
	if os.Args[1] == "producer" {
		produce(redis, queue)
		return
	}
	config := asynq.Config{Concurrency: int(number("CONCURRENCY")), Logger: quiet{}, Queues: map[string]int{queue: 1}}
	check(asynq.NewServer(redis, config).Run(asynq.HandlerFunc((&worker{}).handle)))
}
