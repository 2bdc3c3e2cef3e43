/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.baton.protocol.workflow.SandboxHost;
import dev.baton.protocol.workflow.SandboxNetwork;
import dev.baton.protocol.workflow.SandboxRule;
import dev.baton.runner.lease.RunLease;
import dev.baton.runner.logs.LogFixture;
import dev.baton.runner.logs.StepLog;
import dev.baton.runner.sandbox.SandboxException;
import dev.baton.runner.sandbox.SandboxFactory;
import dev.baton.runner.sandbox.SandboxRequirement;
import dev.baton.runner.sandbox.SandboxSettings;
import dev.baton.runner.sandbox.StepSandbox;
import dev.baton.runner.steps.HttpAddressPolicy;
import dev.baton.snapshot.posix.ProcessCredentials;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs in real sandboxes of bubblewrap, most of them as attackers would write them. */
class SandboxTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final String SECRET = "secret-" + UUID.randomUUID();

  private final MockProducer<String, byte[]> producer =
      new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());
  private final LogFixture logs = LogFixture.of(producer);
  private final StepLog log = logs.open("run", 1).step("step", 1, 1);
  private HttpAddressPolicy addresses = HttpAddressPolicy.DEFAULT;
  private final String mark = UUID.randomUUID().toString();

  @TempDir Path machine;
  private Path data;
  private Path workspace;

  @BeforeEach
  void create() throws IOException {
    SandboxRequirement.check();
    data = Files.createDirectories(machine.resolve("data"));
    workspace = Files.createDirectories(data.resolve("runs/mine/workspace"));
  }

  @AfterEach
  void close() {
    logs.close();
  }

  private static SandboxRule rule(SandboxNetwork network) {
    return new SandboxRule(network, List.of(), List.of(), List.of(), OptionalInt.empty());
  }

  private static SandboxRule showing(List<String> readOnly, List<String> write) {
    return new SandboxRule(SandboxNetwork.NONE, List.of(), readOnly, write, OptionalInt.empty());
  }

  private StepProcess program(
      SandboxRule rule, SandboxSettings settings, String script, String... variables) {
    StepSandbox sandbox =
        new SandboxFactory(settings, data, System.getenv(), addresses::check)
            .of(Optional.of(rule))
            .orElseThrow();
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
    environment.put("BATON_RUN_ID", mark);
    Arrays.stream(variables)
        .map(variable -> variable.split("=", 2))
        .forEach(pair -> environment.put(pair[0], pair[1]));
    return new StepProcess(
        List.of("/bin/bash", "-c", script),
        workspace,
        sandbox.environment(environment, Set.of()),
        Set.of("BATON_RUN_ID=" + mark),
        100_000,
        WorkspaceMount.NONE,
        Optional.of(sandbox));
  }

  private StepProcessResult.Exited exited(StepProcess program) throws Exception {
    return (StepProcessResult.Exited) program.run(RunLease.forever(), log, LONG);
  }

  private String output(StepProcess program) throws Exception {
    return new String(exited(program).stdout(), StandardCharsets.UTF_8);
  }

  private String output(String script, String... variables) throws Exception {
    return output(program(SandboxRule.DEFAULT, SandboxSettings.NONE, script, variables));
  }

  private Path secret(Path file) throws IOException {
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    return Files.writeString(file, SECRET);
  }

  @ParameterizedTest
  @CsvSource({"exit 0,0", "exit 3,3", "kill -9 $$,137", "kill -TERM $$,143", "false,1"})
  void shouldKeepExitCodes(String script, int code) throws Exception {
    assertThat(exited(program(SandboxRule.DEFAULT, SandboxSettings.NONE, script)).exitCode())
        .isEqualTo(code);
  }

  @Test
  void shouldWorkInTheWorkspaceAndAPrivateTemporaryFolder() throws Exception {
    Files.writeString(workspace.resolve("in"), "7");

    String output =
        output(
            "cat in; echo 8 > out; pwd; echo t > \"$TMPDIR/t\"; ls -A /tmp; cd; pwd; touch here; id -u; echo e >&2");

    assertThat(output.lines())
        .containsSubsequence("7" + workspace, "home", "t", "/tmp/home")
        .last()
        .isEqualTo(ProcessCredentials.isSuperuser() ? "0" : output.lines().toList().getLast());
    assertThat(workspace.resolve("out")).hasContent("8");
    assertThat(Path.of("/tmp/t")).doesNotExist();
    assertThat(Path.of("/tmp/home")).doesNotExist();
  }

  @Test
  void shouldShowNoFilesOfTheRunnerAndItsUser() throws Exception {
    Path home = Files.createTempFile(Path.of(System.getProperty("user.home")), ".baton", ".key");
    try {
      List<Path> files =
          List.of(
              secret(home),
              secret(data.resolve("lease.key")),
              secret(data.resolve("runs/other/workspace/file")),
              secret(data.resolve("runs/mine/agents/a/home/session")),
              secret(machine.resolve("token")),
              Path.of("/etc/shadow"),
              Path.of("/etc/gshadow"));
      String words = String.join(" ", files.stream().map(Path::toString).toList());

      String output =
          output(
              "for f in "
                  + words
                  + " ../../other/workspace/file /proc/1/root"
                  + home
                  + "; do cat \"$f\" 2>/dev/null && echo read; done; true");

      assertThat(output).isEmpty();
    } finally {
      Files.deleteIfExists(home);
    }
  }

  @Test
  void shouldShowNoFileThatASettingOfTheRunnerNames() throws Exception {
    Path settings = Files.createDirectories(machine.resolve("settings"));
    Path key = secret(settings.resolve("key"));
    Files.writeString(settings.resolve("public"), "public\n");
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("BATON_TLS_KEY", key.toString());
    StepSandbox sandbox =
        new SandboxFactory(
                SandboxRequirement.permitting(settings + "/**"),
                data,
                environment,
                addresses::check)
            .of(Optional.of(showing(List.of(settings.toString()), List.of())))
            .orElseThrow();
    StepProcess program =
        new StepProcess(
            List.of("/bin/sh", "-c", "cat " + settings + "/*; true"),
            workspace,
            Map.of("PATH", "/usr/bin:/bin"),
            Set.of("BATON_RUN_ID=" + mark),
            1_000,
            WorkspaceMount.NONE,
            Optional.of(sandbox));

    assertThat(output(program)).isEqualTo("public\n");
  }

  @Test
  void shouldShowNoOtherProcess() throws Exception {
    long runner = ProcessHandle.current().pid();

    String output =
        output(
            "cat /proc/%d/environ /proc/%d/cmdline 2>/dev/null | tr '\\0' '\\n'; kill -0 %d 2>/dev/null && echo found; cd /proc; echo [0-9]*"
                .formatted(runner, runner, runner));

    assertThat(output.strip().split(" ")).hasSizeLessThan(6).allMatch(pid -> pid.length() < 3);
  }

  @Test
  void shouldWriteToNothingElse() throws Exception {
    Path other = Files.createDirectories(data.resolve("runs/other/workspace"));

    String output =
        output(
            "for d in / /usr /usr/bin /etc /opt /run /var /home /root /sys/fs/cgroup %s; do touch $d/x 2>/dev/null && echo wrote $d; done; echo 1 > /proc/sys/kernel/hostname 2>/dev/null && echo wrote; true"
                .formatted(other));

    assertThat(output).isEmpty();
    assertThat(other).isEmptyDirectory();
  }

  @ParameterizedTest
  @CsvSource({"NONE,closed", "HOST,open"})
  void shouldReachTheRunnersLoopbackOnlyWithItsNetwork(SandboxNetwork network, String state)
      throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String script =
          "(exec 3<>/dev/tcp/127.0.0.1/%d) 2>/dev/null && echo open || echo closed"
              .formatted(socket.getLocalPort());

      assertThat(output(program(rule(network), SandboxSettings.NONE, script)).strip())
          .isEqualTo(state);
    }
  }

  @Test
  void shouldGainNoRights() throws Exception {
    assumeTrue(ProcessCredentials.isSuperuser(), "a program of root with setuid needs root");
    Path program = Files.copy(Path.of("/usr/bin/id"), workspace.resolve("id"));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertThat(new ProcessBuilder("chmod", "u+s", program.toString()).start().waitFor()).isZero();
    SandboxRule as1000 =
        new SandboxRule(SandboxNetwork.NONE, List.of(), List.of(), List.of(), OptionalInt.of(1000));

    String output =
        output(
            program(
                as1000,
                SandboxSettings.NONE,
                "./id -u; grep -E 'CapEff|CapPrm|NoNewPrivs' /proc/self/status | tr -d '\\t'; mount -t tmpfs x /tmp 2>/dev/null && echo mounted; chroot / true 2>/dev/null && echo root; true"));

    assertThat(output.lines())
        .containsExactly(
            "1000", "CapPrm:0000000000000000", "CapEff:0000000000000000", "NoNewPrivs:1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "umount /etc/shadow; cat /etc/shadow",
        "unshare -Urm sh -c 'umount /etc/shadow; umount -l /etc; cat /etc/shadow'",
        "unshare -Urm sh -c 'mount --bind /etc /tmp && cat /tmp/shadow'",
        "unshare -Urm sh -c 'mount -o remount,rw /usr && touch /usr/x && echo wrote'",
        "unshare -Urpmf sh -c 'mount -t proc p /proc; cat /proc/*/environ' | grep -a SUREFIRE",
      })
  void shouldUncoverNothingByMounts(String attack) throws Exception {
    assertThat(output("(" + attack + ") 2>/dev/null; true")).isEmpty();
    assertThat(Path.of("/usr/x")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "%s",
        "unshare -Urm sh -c 'umount /proc/sys; %s'",
        "unshare -Urm sh -c 'mount -o remount,rw,bind /proc/sys; %s'",
        "unshare -Urpmf sh -c 'mount -t proc p /proc; %s'",
      })
  void shouldOpenNoSettingOfTheKernel(String attack) throws Exception {
    String open =
        "for f in kernel/core_pattern kernel/modprobe kernel/hostname vm/drop_caches; do (exec 3>>/proc/sys/$f) && echo $f; done; (exec 3>>/proc/sysrq-trigger) && echo sysrq";

    assertThat(output("(" + attack.formatted(open) + ") 2>/dev/null; true")).isEmpty();
  }

  @Test
  void shouldLeaveNoProcess() throws Exception {
    String time = "87" + (System.nanoTime() & 0xffff);

    exited(
        program(
            SandboxRule.DEFAULT,
            SandboxSettings.NONE,
            "setsid env -i sleep %s & (nohup setsid sleep %s &) ; sleep 0.1"
                .formatted(time, time)));

    assertThat(commands()).noneMatch(command -> command.contains(time));
  }

  @Test
  void shouldGiveProgramsTimeAfterSigterm() throws Exception {
    StepProcess program =
        program(
            SandboxRule.DEFAULT,
            SandboxSettings.NONE,
            "trap 'echo bye > bye; exit 0' TERM; touch ready; while true; do sleep 0.05; done");

    StepProcessResult ended = program.run(RunLease.forever(), log, Duration.ofSeconds(4));

    assertThat(ended).isInstanceOf(StepProcessResult.TimedOut.class);
    assertThat(workspace.resolve("bye")).exists();
    assertThat(commands()).noneMatch(command -> command.contains(workspace.toString()));
  }

  private static List<String> commands() {
    List<String> commands = new ArrayList<>();
    ProcessHandle.allProcesses()
        .forEach(
            process ->
                commands.add(
                    String.join(
                        " ", dev.baton.process.ProcfsProcessReader.arguments(process.pid()))));
    return commands;
  }

  @Test
  void shouldProtectPathsOfTheWorkspace() throws Exception {
    Path hooks = Files.createDirectories(workspace.resolve(".git/hooks"));

    String output =
        output(
            program(
                showing(List.of(".git/hooks"), List.of()),
                SandboxSettings.NONE,
                "touch .git/hooks/x || mv .git/hooks aside || echo refused; touch .git/y"));

    assertThat(output).isEqualTo("refused\n");
    assertThat(hooks).isEmptyDirectory();
    assertThat(workspace.resolve(".git/y")).exists();
  }

  @Test
  void shouldNotFollowALinkThatAStepHasMade() throws Exception {
    Path folder = machine.resolve("keys");
    secret(folder.resolve("key"));
    Files.createSymbolicLink(workspace.resolve(".git"), folder);

    assertThatThrownBy(
            () ->
                output(
                    program(
                        showing(List.of(".git"), List.of()), SandboxSettings.NONE, "cat .git/key")))
        .isInstanceOf(SandboxException.class)
        .hasMessage("sandbox: read_only: '.git' is behind a link in the workspace");
  }

  @Test
  void shouldShowPermittedPathsOnly() throws Exception {
    Path tools = machine.resolve("tools");
    secret(tools.resolve("f"));
    Path cache = Files.createDirectories(machine.resolve("cache"));
    Files.createSymbolicLink(machine.resolve("tools/link"), data);
    SandboxSettings settings = SandboxRequirement.permitting(tools + "/**", cache.toString());

    assertThat(
            output(
                program(
                    showing(List.of(tools.toString()), List.of(cache.toString())),
                    settings,
                    "cat %s/f; touch %s/x; touch %s/x 2>/dev/null || echo only"
                        .formatted(tools, cache, tools))))
        .isEqualTo(SECRET + "only\n");
    assertThat(cache.resolve("x")).exists();
    assertThatThrownBy(
            () -> output(program(showing(List.of(), List.of("/var/lib")), settings, "true")))
        .hasMessage(
            "sandbox: write: this runner does not permit '/var/lib'; add it to baton.sandbox.paths (BATON_SANDBOX_PATHS) of the runner");
    assertThatThrownBy(
            () -> output(program(showing(List.of(tools + "/link"), List.of()), settings, "true")))
        .hasMessageContaining("which this runner does not permit (baton.sandbox.paths)");
    assertThatThrownBy(
            () ->
                output(
                    program(
                        showing(List.of(machine.toString()), List.of()),
                        SandboxRequirement.permitting(machine + "/**"),
                        "true")))
        .hasMessageContaining("contains files of the runner itself");
  }

  @Test
  void shouldPassNoCredentialToAProgramWithoutNetwork() throws Exception {
    String script = "env | grep -c -E '^BATON_(SERVER|API_KEY|TLS_KEY)=' || true";
    String[] variables = {"BATON_SERVER=http://x", "BATON_API_KEY=k", "BATON_TLS_KEY=/k"};

    assertThat(output(script, variables)).isEqualTo("0\n");
    assertThat(output(program(rule(SandboxNetwork.HOST), SandboxSettings.NONE, script, variables)))
        .isEqualTo("2\n");
  }

  @Test
  void shouldReachOnlyTheHostsOfItsProxy() throws Exception {
    try (ServerSocket permitted = server("permitted");
        ServerSocket other = server("other")) {
      String ask =
          """
          echo "$HTTPS_PROXY"
          ask() {
            exec 3<>"/dev/tcp/127.0.0.1/${HTTPS_PROXY##*:}"
            printf 'CONNECT localhost:%%s HTTP/1.1\\r\\n\\r\\n' "$1" >&3
            cat <&3
          }
          ask %d; ask %d
          (: </dev/tcp/127.0.0.1/%d) 2>/dev/null && echo 'around the proxy'
          true"""
              .formatted(permitted.getLocalPort(), other.getLocalPort(), permitted.getLocalPort());
      String named = "localhost:" + permitted.getLocalPort();
      SandboxRule rule =
          new SandboxRule(
              SandboxNetwork.PROXY,
              List.of(SandboxHost.parse(named).orElseThrow()),
              List.of(),
              List.of(),
              OptionalInt.empty());
      Map<String, String> keys = Map.of(SandboxSettings.HOSTS, "*:" + permitted.getLocalPort());
      SandboxSettings settings = SandboxSettings.read(key -> Optional.ofNullable(keys.get(key)));

      assertThat(output(program(rule, settings, ask)))
          .startsWith("http://127.0.0.1:3128\n")
          .contains("HTTP/1.1 200 Connection established\r\n\r\npermitted")
          .contains(
              "localhost:" + other.getLocalPort() + " is not one of the step's 'hosts': " + named)
          .doesNotContain("around the proxy");

      addresses = HttpAddressPolicy.of("loopback", "");
      assertThat(output(program(rule, settings, ask)))
          .contains("HTTP/1.1 403 Forbidden")
          .doesNotContain("permitted\n", "200 Connection");
    }
  }

  /** Sends one line to each client. */
  private static ServerSocket server(String line) throws IOException {
    ServerSocket server = new ServerSocket(0, 10, InetAddress.getByName("127.0.0.1"));
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              while (!server.isClosed()) {
                try (Socket client = server.accept()) {
                  client.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
                } catch (IOException closed) {
                  return;
                }
              }
            });
    return server;
  }

  /** Alternating, since the load of a machine changes. */
  @Test
  void shouldCostABoundedFactor() throws Exception {
    StepProcess inside = program(SandboxRule.DEFAULT, SandboxSettings.NONE, "true");
    StepProcess outside =
        new StepProcess(
            inside.words(),
            workspace,
            inside.environment(),
            inside.marks(),
            0,
            WorkspaceMount.NONE,
            Optional.empty());
    long[] with = new long[200];
    long[] without = new long[200];
    for (int i = 0; i < with.length; i++) {
      without[i] = nanos(outside);
      with[i] = nanos(inside);
    }
    Arrays.sort(with);
    Arrays.sort(without);

    double factor = (double) with[100] / without[100];
    System.out.printf(
        "sandbox: median %.1f ms, without %.1f ms, factor %.2f%n",
        with[100] / 1e6, without[100] / 1e6, factor);
    assertThat(factor).isLessThan(20);
  }

  private long nanos(StepProcess program) throws Exception {
    long start = System.nanoTime();
    exited(program);
    return System.nanoTime() - start;
  }
}
