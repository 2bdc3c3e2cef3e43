/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.process.MarkedProcessFinder;
import dev.baton.process.ProcessIdentity;
import dev.baton.standalone.jvm.JvmCommand;
import dev.baton.standalone.state.DataLock;
import dev.baton.standalone.state.StackFile;
import dev.baton.standalone.state.StackState;
import java.io.BufferedReader;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests with the S3 server alone, the quickest of all, what does not depend on the component. */
class SupervisionTest {

  @TempDir Path folder;

  private Path data;

  @BeforeEach
  void name() {
    data = folder.resolve("data");
  }

  @AfterEach
  void shouldLeaveNothingRunning() throws Exception {
    assertThat(MarkedProcessFinder.withVariable(StandaloneStack.MARK, data.toString())).isEmpty();
  }

  @Test
  void shouldStartAKilledComponentAgain() throws Exception {
    try (StandaloneStack stack = s3().autoRestart(true).start()) {
      ProcessIdentity first = stack.process(StackComponent.S3).orElseThrow();

      stack.kill(StackComponent.S3);

      assertThat(stack.awaitReady(StackComponent.S3, Duration.ofSeconds(20))).isTrue();
      assertThat(stack.process(StackComponent.S3)).isPresent().get().isNotEqualTo(first);
      assertThat(stack.restarts(StackComponent.S3)).isOne();
    }
  }

  @Test
  void shouldReplicateOnlyServices() throws Exception {
    try (StandaloneStack stack = s3().start()) {
      assertThatThrownBy(
              () -> stack.replica(StackComponent.S3, ServiceReplica.freePort(), Map.of()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("s3")
          .hasMessageContaining("checkpoint-store");
    }
  }

  @Test
  void shouldStopComponentAndWhatItHasStarted() throws Exception {
    Process runner;
    try (StandaloneStack stack = s3().start()) {
      ProcessBuilder builder = new ProcessBuilder("sleep", "600");
      builder.environment().put(StandaloneStack.MARK, stack.data().toString());
      runner = builder.start();
    }
    assertThat(runner.waitFor(1, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void shouldGiveAComponentATemporaryFolderThatIsEmptiedAtItsStart() throws Exception {
    Path temp = data.resolve("tmp/s3");
    try (StandaloneStack stack = s3().start()) {
      String line = Files.readString(Path.of("/proc/" + pid(stack) + "/cmdline"));
      assertThat(line).contains("-Djava.io.tmpdir=" + temp.toRealPath() + "\0");
      Files.createFile(temp.resolve("left behind"));
      stack.restart(StackComponent.S3);
      assertThat(temp).isEmptyDirectory();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(temp)))
          .isEqualTo("rwx------");
    }
  }

  private static long pid(StandaloneStack stack) {
    return stack.process(StackComponent.S3).orElseThrow().pid();
  }

  @Test
  void shouldUsePortsAndSecretsOfTheLastStartAgain() throws Exception {
    S3Access first;
    try (StandaloneStack stack = s3().start()) {
      first = stack.s3();
    }
    try (StandaloneStack stack = s3().start()) {
      assertThat(stack.s3()).isEqualTo(first);
    }
  }

  @Test
  void shouldAvoidAPortThatSomebodyElseHas() throws Exception {
    Files.createDirectories(data);
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Map<String, Integer> ports = Map.of("s3", other.getLocalPort());
      StackState last = StackState.empty(data.toString());
      new StackFile(data)
          .write(
              new StackState(
                  last.version(),
                  last.data(),
                  false,
                  false,
                  null,
                  Map.of(),
                  ports,
                  null,
                  null,
                  Map.of()));

      try (StandaloneStack stack = s3().start()) {
        assertThat(stack.s3().endpoint()).doesNotEndWith(":" + other.getLocalPort());
      }
    }
  }

  @Test
  void shouldRefuseASecondStackOnTheSameFolder() throws Exception {
    try (StandaloneStack stack = s3().start()) {
      assertThatThrownBy(() -> s3().start())
          .isInstanceOf(StackException.class)
          .hasMessageContaining("already running on " + stack.data());
    }
  }

  @Test
  void shouldStartWithAStateThatCannotBeRead() throws Exception {
    Files.createDirectories(data);
    Files.writeString(data.resolve("stack.json"), "{\"version\": 1, \"da");
    List<String> lines = new CopyOnWriteArrayList<>();

    try (StandaloneStack stack = s3().progress(lines::add).start()) {
      assertThat(stack.process(StackComponent.S3)).isPresent();
    }
    assertThat(lines).anyMatch(line -> line.contains("stack.json cannot be read"));
    assertThat(data.resolve("stack.json.unreadable")).exists();
  }

  @Test
  void shouldNotTouchAProcessThatOnlyHasTheRecordedPid() throws Exception {
    Files.createDirectories(data);
    Process stranger = new ProcessBuilder("sleep", "600").start();
    try {
      StackState last = StackState.empty(data.toString());
      var running = new StackState.RunningProcess(stranger.pid(), "another start", 0);
      new StackFile(data)
          .write(
              new StackState(
                  last.version(),
                  last.data(),
                  true,
                  false,
                  new ProcessIdentity(stranger.pid(), "another start"),
                  Map.of(),
                  Map.of(),
                  null,
                  null,
                  Map.of("s3", running)));

      assertThat(run("down")).isZero();
      assertThat(stranger.isAlive()).isTrue();
    } finally {
      stranger.destroyForcibly();
    }
  }

  @Test
  void shouldStopWhatADeadSupervisorHasLeft() throws Exception {
    assertThat(run("up", "--components", "s3")).isZero();
    StackState up = new StackFile(data).read().orElseThrow();
    assertThat(up.ready()).isTrue();
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(data.resolve("stack.json"))))
        .isEqualTo("rw-------");
    ProcessIdentity supervisor = Objects.requireNonNull(up.supervisor());
    ProcessIdentity s3 = Objects.requireNonNull(up.components().get("s3")).id();
    assertThat(run("up", "--components", "s3")).as("a second up").isZero();
    assertThat(supervisor.isAlive()).isTrue();

    supervisor.handle().orElseThrow().destroyForcibly();
    assertThat(supervisor.awaitEnd(Duration.ofSeconds(10))).isTrue();
    assertThat(s3.isAlive()).as("servers survive their supervisor").isTrue();

    assertThat(run("down")).isZero();
    assertThat(s3.isAlive()).isFalse();
  }

  @Test
  void shouldStopTheSupervisorAndAllItStarted() throws Exception {
    assertThat(run("up", "--components", "s3")).isZero();
    StackState up = new StackFile(data).read().orElseThrow();

    assertThat(run("down")).isZero();

    assertThat(Objects.requireNonNull(up.supervisor()).isAlive()).isFalse();
    assertThat(new StackFile(data).read().orElseThrow().components()).isEmpty();
  }

  @Test
  void shouldTellAStackThatIsUpOnAnotherPort() throws Exception {
    assertThat(run("up", "--components", "s3")).isZero();
    int port =
        Objects.requireNonNull(
            new StackFile(data).read().orElseThrow().ports().get("orchestrator"));

    assertThat(run("up", "--components", "s3", "--port", String.valueOf(port))).isZero();
    assertThat(run("up", "--components", "s3", "--port", String.valueOf(port - 1))).isEqualTo(5);

    assertThat(new StackFile(data).read().orElseThrow().ready()).isTrue();
    assertThat(run("down")).isZero();
  }

  @Test
  void shouldWaitForAStackWhoseStateCannotBeReadYet() throws Exception {
    assertThat(run("up", "--components", "s3")).isZero();
    Path state = data.resolve("stack.json");
    String good = Files.readString(state);
    Files.writeString(state, "{\"version\": 1, \"da");

    Process second = program("up", "--components", "s3").redirectErrorStream(true).start();
    try (BufferedReader out = second.inputReader()) {
      assertThat(out.readLine()).startsWith("another start ");
      Files.writeString(state, good);
      assertThat(out.readLine()).startsWith("already running: ");
    }
    assertThat(second.waitFor()).isZero();
    assertThat(run("down")).isZero();
  }

  @Test
  void shouldPutALongLogOfEarlierSupervisorsAside() throws Exception {
    Path log = Files.createDirectories(data.resolve("logs")).resolve("supervisor.log");
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
      file.setLength((16L << 20) + 1);
    }

    assertThat(run("up", "--components", "s3")).isZero();

    assertThat(log).content().contains("stack ready");
    assertThat(log.resolveSibling("supervisor.log.1")).hasSize((16L << 20) + 1);
    assertThat(run("down")).isZero();
  }

  @Test
  void shouldStopALivingSupervisorThatStackJsonNoLongerNames() throws Exception {
    assertThat(run("up", "--components", "s3")).isZero();
    StackState up = new StackFile(data).read().orElseThrow();
    Files.writeString(data.resolve("stack.json"), "{\"version\": 1, \"da");

    assertThat(run("down")).isZero();

    assertThat(Objects.requireNonNull(up.supervisor()).isAlive()).isFalse();
  }

  @Test
  void shouldNotCallItselfReadyWhileAComponentIsDown() throws Exception {
    StackFile file = new StackFile(data);
    try (StandaloneStack stack = s3().start()) {
      assertThat(file.read().orElseThrow().ready()).isTrue();
      stack.stop(StackComponent.S3);
      assertThat(file.read().orElseThrow().ready()).isFalse();
      stack.restart(StackComponent.S3);
      assertThat(file.read().orElseThrow().ready()).isTrue();
      stack.kill(StackComponent.S3);
      assertThat(file.read().orElseThrow().ready()).isFalse();
      stack.restart(StackComponent.S3);
      assertThat(file.read().orElseThrow().ready()).isTrue();
    }
    assertThat(file.read().orElseThrow().ready()).isFalse();
  }

  @Test
  void shouldGiveTheFolderBackAlsoWhenItsEndFails() throws Exception {
    StandaloneStack stack = s3().start();
    ProcessIdentity s3 = stack.process(StackComponent.S3).orElseThrow();
    // A folder at the path of the file: the last step of the shutdown fails.
    Files.delete(data.resolve("stack.json"));
    Files.createDirectories(data.resolve("stack.json").resolve("in the way"));

    assertThatThrownBy(stack::close).isInstanceOf(StackException.class);

    assertThat(s3.isAlive()).isFalse();
    try (DataLock lock = DataLock.take(data).orElseThrow()) {
      assertThat(lock).isNotNull();
    }
  }

  @Test
  void shouldSayWhyAComponentDidNotStart() throws Exception {
    Files.createDirectories(data);
    Files.writeString(data.resolve("s3"), "a file at the path of a folder");
    assertThatThrownBy(() -> s3().start()).hasMessageContaining("s3");
  }

  private StackBuilder s3() {
    return StandaloneStack.builder()
        .data(data)
        .components(StackComponent.S3)
        .progress(System.out::println);
  }

  /** Runs the supervisor program as a separate process. */
  private int run(String action, String... more) throws Exception {
    Process process = program(action, more).inheritIO().start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  private ProcessBuilder program(String action, String... more) {
    List<String> command =
        new ArrayList<>(
            List.of(
                JvmCommand.java().toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.baton.standalone.StackMain",
                action,
                "--data",
                data.toString()));
    command.addAll(List.of(more));
    return new ProcessBuilder(command);
  }
}
