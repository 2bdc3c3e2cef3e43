/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.HostConfig;
import dev.baton.launcher.ExitReason;
import dev.baton.launcher.KillRequest;
import dev.baton.launcher.LaunchException;
import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.RunnerExit;
import dev.baton.launcher.RunnerPhase;
import dev.baton.launcher.testkit.RecordingRunnerObserver;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What only containers have: images, limits, logs, and a Docker host that may be away. */
@Timeout(120)
class DockerFailureTest {
  private static final Duration WITHIN = Duration.ofSeconds(30);
  private static final long MEMORY = 64L << 20;

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init")
  private DockerPlace place;

  private final RecordingRunnerObserver observer = new RecordingRunnerObserver(0);

  @BeforeEach
  void connect() throws Exception {
    place = DockerPlace.open();
  }

  @AfterEach
  @SuppressWarnings("NullAway") // Null when Docker is away.
  void disconnect() throws Exception {
    if (place != null) {
      place.close();
    }
  }

  private static LaunchSpec spec(String script) {
    return new LaunchSpec(
        "warm-" + UUID.randomUUID().toString().replace("-", ""),
        null,
        0,
        "default",
        Map.of("KIT_SCRIPT", script));
  }

  private static LaunchSpec spec(String run, int epoch, String script) {
    return new LaunchSpec(run + "-" + epoch, run, epoch, "default", Map.of("KIT_SCRIPT", script));
  }

  private static void await(String what, BooleanSupplier wanted) {
    long end = System.nanoTime() + WITHIN.toNanos();
    while (!wanted.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(10_000_000);
    }
  }

  private RunnerExit exit(LaunchSpec spec) {
    await("the exit of " + spec.runner(), () -> !observer.exits(spec.runner()).isEmpty());
    return observer.exits(spec.runner()).getFirst();
  }

  @Test
  void shouldReportAContainerThatUsesTooMuchMemory() throws Exception {
    ContainerSettings small = place.container(place.container().image(), MEMORY);
    LaunchSpec spec = spec("tail /dev/zero");
    try (DockerRunnerLauncher launcher = place.launcher(folder, small, place.host)) {
      launcher.observe(observer);

      launcher.start(spec);

      RunnerExit exit = exit(spec);
      assertThat(exit.reason()).isEqualTo(ExitReason.OUT_OF_MEMORY);
      assertThat(exit.detail()).contains("64 MiB", "container.memory");
    }
  }

  @Test
  void shouldRejectAnImageThatIsMissing() throws Exception {
    LaunchSpec spec = spec("exit 0");
    ContainerSettings missing = place.container("baton-test/no-such-image:1", MEMORY);
    try (DockerRunnerLauncher launcher = place.launcher(folder, missing, place.host)) {
      launcher.observe(observer);

      assertThatThrownBy(() -> launcher.start(spec))
          .isInstanceOf(LaunchException.RejectedException.class)
          .hasMessageContainingAll(
              "baton-test/no-such-image:1", "build or pull it", "container.image");
    }
    assertThat(place.count()).isZero();
    try (DockerRunnerLauncher launcher = place.launcher(folder)) {
      launcher.observe(observer);
      assertThat(launcher.start(spec).phase().isLive()).as("a start after a refusal").isTrue();
    }
  }

  @Test
  void shouldRejectAProgramThatIsMissingAndLeaveNoContainer() throws Exception {
    ContainerSettings good = place.container();
    ContainerSettings bad =
        new ContainerSettings(
            good.image(),
            List.of("/no/such/program"),
            good.network(),
            good.memoryBytes(),
            0,
            good.pids(),
            true,
            good.tmpfs(),
            Map.of(),
            List.of(),
            false,
            false);
    try (DockerRunnerLauncher launcher = place.launcher(folder, bad, place.host)) {
      launcher.observe(observer);

      assertThatThrownBy(() -> launcher.start(spec("exit 0")))
          .isInstanceOf(LaunchException.RejectedException.class)
          .hasMessageContaining("/no/such/program");
    }
    assertThat(place.count()).isZero();
  }

  @Test
  void shouldReportADockerHostThatIsAwayAndHoldUpNoOtherRun() throws Exception {
    URI away = URI.create("unix://" + folder.resolve("none.sock"));
    try (DockerRunnerLauncher launcher = place.launcher(folder, place.container(), away)) {
      launcher.observe(observer);

      assertThatThrownBy(() -> launcher.start(spec("exit 0")))
          .isInstanceOf(LaunchException.UnavailableException.class)
          .hasMessageContainingAll(away.toString(), "start it", "docker.host");
      assertThatThrownBy(launcher::list).isInstanceOf(LaunchException.UnavailableException.class);
      Set<String> killed = ConcurrentHashMap.newKeySet();
      Set<String> left =
          launcher.kill(
              new KillRequest(
                  Map.of("here", 2, "elsewhere", 2),
                  Map.of("here", List.of("0".repeat(64))),
                  Duration.ofSeconds(1)),
              killed::add);
      assertThat(killed).containsExactly("elsewhere");
      assertThat(left).containsExactly("here");
    }
  }

  @Test
  void shouldFindTheExitsThatItMissedWhileDockerWasAway() throws Exception {
    Path socket = folder.resolve("docker.sock");
    LaunchSpec ended = spec("sleep 600");
    LaunchSpec alive = spec("run-" + UUID.randomUUID(), 1, "sleep 600");
    try (SocketForwarder forwarder = new SocketForwarder(socket, Path.of(place.host.getPath()));
        DockerRunnerLauncher launcher =
            place.launcher(folder, place.container(), forwarder.address())) {
      forwarder.open();
      launcher.observe(observer);
      launcher.start(ended);
      LaunchedRunner running = launcher.start(alive);

      forwarder.close();
      place.client.killContainerCmd(name(ended)).exec();
      assertThat(launcher.isAlive(alive.runner(), running.handle()))
          .as("what was seen last")
          .isTrue();
      LaunchSpec waiting = spec("exit 6");
      assertThatThrownBy(() -> launcher.start(waiting))
          .isInstanceOf(LaunchException.UnavailableException.class);
      launcher.kill(alive.runner());
      forwarder.open();

      assertThat(exit(ended).signal()).isEqualTo(9);
      assertThat(exit(alive).signal()).as("a kill while Docker was away").isEqualTo(9);
      launcher.start(waiting);
      assertThat(exit(waiting).exitCode()).isEqualTo(6);
    }
  }

  @Test
  void shouldReportAContainerThatWasRemoved() throws Exception {
    LaunchSpec spec = spec("sleep 600");
    try (DockerRunnerLauncher launcher = place.launcher(folder)) {
      launcher.observe(observer);
      launcher.start(spec);

      place.client.removeContainerCmd(name(spec)).withForce(true).exec();

      assertThat(exit(spec).reason()).isIn(ExitReason.DELETED, ExitReason.KILLED);
    }
  }

  @Test
  void shouldStoreTheOutputAndRemoveTheContainer() throws Exception {
    LaunchSpec spec = spec("echo out; echo err >&2; exit 3");
    try (DockerRunnerLauncher launcher = place.launcher(folder)) {
      launcher.observe(observer);

      launcher.start(spec);

      exit(spec);
      await("the removal", () -> place.count() == 0);
      assertThat(Files.readString(Path.of(launcher.logLocation(spec.runner()))))
          .contains("out", "err");
      LaunchedRunner again = launcher.start(spec);
      assertThat(again.phase()).as("a name is not used again").isEqualTo(RunnerPhase.ENDED);
      assertThat(place.count()).isZero();
    }
  }

  @Test
  void shouldStartTheContainerThatADeadInstanceHasCreated() throws Exception {
    LaunchSpec spec = spec("sleep 600");
    DockerLauncherSettings settings =
        new DockerLauncherSettings(
            place.host,
            place.installation,
            place.container(),
            Map.of(),
            folder,
            Duration.ofSeconds(20),
            Duration.ofSeconds(2));
    try (DockerEngine engine = new DockerEngine(settings);
        DockerRunnerLauncher launcher = place.launcher(folder)) {
      String created = engine.create(spec, place.container());
      launcher.observe(observer);

      LaunchedRunner adopted = launcher.adopt(spec.runner(), null);

      assertThat(adopted.handle()).isEqualTo(created);
      assertThat(status(spec)).isEqualTo("running");
    }
  }

  @Test
  void shouldRejectAContainerOfAnotherOriginWithTheName() throws Exception {
    LaunchSpec spec = spec("sleep 600");
    String stranger =
        place
            .client
            .createContainerCmd(place.container().image())
            .withName(name(spec))
            .withCmd("/bin/sh")
            .exec()
            .getId();
    try (DockerRunnerLauncher launcher = place.launcher(folder)) {
      launcher.observe(observer);

      assertThatThrownBy(() -> launcher.start(spec))
          .isInstanceOf(LaunchException.RejectedException.class)
          .hasMessageContaining(name(spec));
      assertThat(launcher.adopt(spec.runner(), null).phase()).isEqualTo(RunnerPhase.GONE);
    } finally {
      place.client.removeContainerCmd(stranger).exec();
    }
  }

  @Test
  void shouldLimitTheContainer() throws Exception {
    LaunchSpec spec = spec("sleep 600");
    try (DockerRunnerLauncher launcher = place.launcher(folder)) {
      launcher.observe(observer);

      launcher.start(spec);

      InspectContainerResponse found = place.inspect(spec.runner()).orElseThrow();
      HostConfig host = found.getHostConfig();
      assertThat(host.getMemory()).isEqualTo(256L << 20);
      assertThat(host.getMemorySwap()).isEqualTo(256L << 20);
      assertThat(host.getNanoCPUs()).isEqualTo(2_000_000_000L);
      assertThat(host.getPidsLimit()).isEqualTo(256);
      assertThat(host.getReadonlyRootfs()).isTrue();
      assertThat(Objects.requireNonNull(host.getCapDrop())).hasSize(1);
      assertThat(host.getSecurityOpts()).contains("no-new-privileges=true");
      assertThat(host.getAutoRemove()).isFalse();
      assertThat(host.getNetworkMode()).isEqualTo("none");
      assertThat(Arrays.asList(Objects.requireNonNull(found.getConfig().getEnv())))
          .contains(
              "KIT_OTHER=other", "BATON_RUNNER_GRACE=30s", "BATON_RUNNER_ID=" + spec.runner());
    }
  }

  private String name(LaunchSpec spec) {
    return ContainerLabels.name(place.installation, spec.runner());
  }

  private String status(LaunchSpec spec) {
    return Objects.requireNonNull(
        place.inspect(spec.runner()).orElseThrow().getState().getStatus());
  }
}
