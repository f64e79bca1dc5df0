# tests/push/test_collectors.py - the receiver of OpenTelemetry's collector takes what is pushed.
#
# It comes from its registry, so that the gate leaves this test out; its own decoders know the same format.
#
# SPDX-License-Identifier: Apache-2.0
"""A real collector."""

import shutil
import subprocess

import pytest
from receiver import TIMEOUT_S, Pusher, free_port, so_far, sums_of
from test_consumers import had, run

VERSION = "v0.165.0"
MODULES = ("receiver/otlpreceiver", "pdata/pprofile")
RECEIVE = """\
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/xconsumer"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.opentelemetry.io/collector/receiver/xreceiver"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	var lock sync.Mutex
	sums := map[string]int64{}
	take := func(_ context.Context, profiles pprofile.Profiles) error {
		lock.Lock()
		defer lock.Unlock()
		texts := profiles.Dictionary().StringTable()
		resource := profiles.ResourceProfiles().At(0)
		service, _ := resource.Resource().Attributes().Get("service.name")
		all := resource.ScopeProfiles().At(0).Profiles()
		for i := 0; i < all.Len(); i++ {
			name := service.AsString() + ":" + texts.At(int(all.At(i).SampleType().TypeStrindex()))
			for k := 0; k < all.At(i).Samples().Len(); k++ {
				sums[name] += all.At(i).Samples().At(k).Values().At(0)
			}
		}
		return nil
	}
	consumer, err := xconsumer.NewProfiles(take)
	must(err)
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	must(confmap.NewFromStringMap(map[string]any{"protocols": map[string]any{"http": map[string]any{"endpoint": os.Args[1]}}}).Unmarshal(config))
	receiver, err := factory.(xreceiver.Factory).CreateProfiles(context.Background(), receivertest.NewNopSettings(factory.Type()), config, consumer)
	must(err)
	must(receiver.Start(context.Background(), componenttest.NewNopHost()))
	fmt.Println("ready")
	_, _ = io.ReadAll(os.Stdin)
	must(receiver.Shutdown(context.Background()))
	for name, sum := range sums {
		fmt.Println(name, sum)
	}
}
"""


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    folder = tmp_path_factory.mktemp("collector")
    (folder / "main.go").write_text(RECEIVE)
    (folder / "go.mod").write_text("module receive\n\ngo 1.26\n")
    if shutil.which("go") is None:
        pytest.skip("no go here")
    had("otlpreceiver", "go", "get", *("go.opentelemetry.io/collector/%s@%s" % (name, VERSION) for name in MODULES), folder=folder)
    had("otlpreceiver", "go", "mod", "tidy", folder=folder)
    status, _, errors = run(folder, "go", "build", "-o", "receive", ".")
    assert status == 0, errors
    return str(folder / "receive")


def test_opentelemetrys_receiver_takes_all_of_it(collector, tmp_path):
    address = "127.0.0.1:%d" % free_port()
    process = subprocess.Popen([collector, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
    assert process.stdout.readline() == "ready\n"
    pusher = Pusher("otlp+http://" + address)
    for share in (1 / 7, 1 / 3, 1):
        pusher.take(tmp_path, so_far(share))
    assert pusher.end() == "all sent"
    text, _ = process.communicate(timeout=TIMEOUT_S)
    found = {name: int(number) for name, number in map(str.split, text.splitlines())}
    wanted = {"prog.py:" + name: sum(stacks.values()) for name, stacks in sums_of(so_far(1)).items() if name != "in_use"}
    assert {name: found[name] for name in wanted} == wanted
