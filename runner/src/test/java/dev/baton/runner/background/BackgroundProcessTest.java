/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.baton.agent.AgentProcess;
import dev.baton.agent.AgentProcessStarter.AgentCommand;
import dev.baton.process.MarkedProcessFinder;
import dev.baton.protocol.trace.BackgroundOutcome;
import dev.baton.protocol.workflow.BackgroundRule;
import dev.baton.runner.lease.RunLease;
import dev.baton.runner.process.AgentProcessLauncher;
import dev.baton.runner.process.WorkspaceMount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that a real program leaves behind, in sessions of their own, killed and started. */
class BackgroundProcessTest {
  private static final Duration WITHIN = Duration.ofSeconds(20);
  private static final String SERVER_MARK = "BATON_MCP_SERVER";

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private final String run = UUID.randomUUID().toString();
  private final Map<String, String> marks = Map.of("BATON_RUN_ID", run);
  private final Map<String, String> environment =
      Map.of("PATH", System.getenv().getOrDefault("PATH", "/usr/bin:/bin"));
  private final List<AgentProcessLauncher> launchers = new ArrayList<>();
  private final LinkedBlockingQueue<String> ended = new LinkedBlockingQueue<>();

  @BeforeEach
  void requireProc() throws IOException {
    assumeTrue(BackgroundScanner.isSupported(), "no /proc");
    Files.createDirectories(folder.resolve("work/web"));
    Files.createDirectories(folder.resolve("home"));
  }

  @AfterEach
  void kill() {
    launchers.forEach(AgentProcessLauncher::close);
  }

  private AgentProcessLauncher launcher(Map<String, String> more) {
    Map<String, String> all = new java.util.HashMap<>(marks);
    all.putAll(more);
    AgentProcessLauncher launcher =
        new AgentProcessLauncher(
            RunLease.forever(), folder.resolve("work"), WorkspaceMount.NONE, all, Optional.empty());
    launchers.add(launcher);
    return launcher;
  }

  private BackgroundFolder folders() {
    return new BackgroundFolder(folder.resolve("work"), folder.resolve("work"));
  }

  private BackgroundScanner scanner(AgentProcessLauncher agent) {
    return new BackgroundScanner(
        Set.of("BATON_RUN_ID=" + run), SERVER_MARK, agent::roots, folders(), Map.of());
  }

  private BackgroundStarter starter(BackgroundRule... rules) {
    return new BackgroundStarter(
        List.of(rules),
        launcher(Map.of(BackgroundScanner.MARK, "1")),
        environment,
        folders(),
        new BackgroundFiles(folder.resolve("home")),
        ended::add);
  }

  private AgentProcess run(AgentProcessLauncher launcher, String script) throws IOException {
    return launcher.start(
        new AgentCommand(List.of("/bin/sh", "-c", script), environment, folder.resolve("work")));
  }

  private static void await(String what, java.util.concurrent.Callable<Boolean> condition)
      throws Exception {
    long end = System.nanoTime() + WITHIN.toNanos();
    while (!condition.call()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private static List<String> commands(BackgroundScanner scanner) {
    return scanner.scan().stream().map(BackgroundProcess::command).toList();
  }

  /** As an agent whose tool starts a server in a session of its own and one as its child. */
  private AgentProcessLauncher agentWithServers() throws Exception {
    AgentProcessLauncher agent = launcher(Map.of());
    run(
        agent,
        "(cd web; setsid sleep 1111 >/dev/null 2>&1 & true); sleep 2222 --token=abc 2>/dev/null &"
            + " sleep 2223 & wait");
    BackgroundScanner scanner = scanner(agent);
    await(
        "the servers run",
        () -> commands(scanner).containsAll(List.of("sleep 1111", "sleep 2223")));
    return agent;
  }

  @Test
  void shouldListWhatAToolHasLeftRunning() throws Exception {
    AgentProcessLauncher agent = agentWithServers();
    AgentProcessLauncher server = launcher(Map.of(SERVER_MARK, "memory"));
    run(server, "exec sleep 3333");

    List<BackgroundProcess> found = scanner(agent).scan();

    assertThat(found).extracting(BackgroundProcess::command).contains("sleep 1111", "sleep 2223");
    assertThat(found)
        .extracting(BackgroundProcess::command)
        .noneMatch(command -> command.contains("3333") || command.startsWith("/bin/sh"));
    BackgroundProcess detached =
        found.stream().filter(it -> it.command().equals("sleep 1111")).findFirst().orElseThrow();
    assertThat(detached.folder()).isEqualTo("web");
    assertThat(detached.arguments()).containsExactly("sleep", "1111");
    assertThat(detached.startedAt()).isNotNull();
  }

  @Test
  void shouldNotListTheProgramOfTheAgentItself() throws Exception {
    AgentProcessLauncher agent = launcher(Map.of());
    AgentProcess process = run(agent, "sleep 4444 & read line; setsid sleep 5555 & wait");
    BackgroundScanner scanner = scanner(agent);
    await("the helper runs", () -> commands(scanner).contains("sleep 4444"));

    scanner.agentIsReady();
    process.stdin().write("go\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    process.stdin().flush();

    // The shell's child is not yet the tool until it has executed setsid and sleep.
    await("the tool has run", () -> commands(scanner).contains("sleep 5555"));
    assertThat(commands(scanner)).containsExactly("sleep 5555");
  }

  @Test
  void shouldStartThemAgainInTheirFoldersAfterAKill() throws Exception {
    AgentProcessLauncher agent = launcher(Map.of());
    run(
        agent,
        "(cd web; setsid sh -c 'pwd; echo up; while :; do sleep 1; done' > /dev/null 2>&1 &);"
            + " setsid sleep 6666 & wait");
    BackgroundFiles files = new BackgroundFiles(folder.resolve("home"));
    BackgroundScanner before = scanner(agent);
    await("both run", () -> commands(before).contains("sleep 6666") && commands(before).size() > 2);
    files.write(before.scan());
    agent.close();
    await("all are killed", () -> commands(before).isEmpty());

    List<BackgroundOutcome> outcomes =
        starter(new BackgroundRule("sh -c pwd*", true), new BackgroundRule("*", false))
            .start(files.read());

    assertThat(outcomes)
        .extracting(BackgroundOutcome::outcome)
        .containsOnlyOnce("started")
        .doesNotContain("failed");
    BackgroundOutcome started =
        outcomes.stream().filter(it -> it.outcome().equals("started")).findFirst().orElseThrow();
    assertThat(started.folder()).isEqualTo("web");
    Path log = Path.of(String.valueOf(started.log()));
    await("its output is there", () -> Files.readString(log).contains("up"));
    assertThat(Files.readAllLines(log).getFirst()).endsWith("/work/web");
    assertThat(commands(scanner(launcher(Map.of()))))
        .as("listed again, for the next resume")
        .anyMatch(command -> command.startsWith("sh -c pwd"))
        .doesNotContain("sleep 6666");
    assertThat(MarkedProcessFinder.withVariable("BATON_RUN_ID", run))
        .as("with the marks of the step")
        .isNotEmpty();
    assertThat(BackgroundFiles.state(file -> false).test(folder.resolve("home").relativize(log)))
        .as("part of the agent's state")
        .isTrue();
  }

  @Test
  void shouldReportWhatCannotBeStarted() throws Exception {
    List<BackgroundProcess> processes =
        List.of(
            new BackgroundProcess("sleep 1", "missing", null, List.of("sleep", "1"), null, -1),
            new BackgroundProcess("no-such", ".", null, List.of("no-such"), null, -1),
            new BackgroundProcess("serve ***", ".", null, List.of(), "it has a secret", -1),
            new BackgroundProcess(
                "sh -c exit 3", ".", null, List.of("sh", "-c", "exit 3"), null, -1),
            new BackgroundProcess("sleep 7777", ".", null, List.of("sleep 7777"), null, -1));

    List<BackgroundOutcome> outcomes = starter(new BackgroundRule("*", true)).start(processes);

    assertThat(outcomes)
        .extracting(BackgroundOutcome::outcome)
        .containsExactly("failed", "failed", "failed", "failed", "started");
    assertThat(outcomes)
        .extracting(BackgroundOutcome::reason)
        .containsExactly(
            "it ended at once with exit code 126",
            "it ended at once with exit code 127",
            "it has a secret",
            "it ended at once with exit code 3",
            null);
    assertThat(Files.readString(Path.of(String.valueOf(outcomes.getFirst().log()))))
        .contains("missing");
  }

  @Test
  void shouldReportAnEndLater() throws Exception {
    List<BackgroundOutcome> outcomes =
        starter(new BackgroundRule("*", true))
            .start(
                List.of(
                    new BackgroundProcess(
                        "late", ".", null, List.of("sh", "-c", "sleep 1; exit 4"), null, -1)));

    assertThat(outcomes.getFirst().outcome()).isEqualTo("started");
    assertThat(ended.poll(WITHIN.toSeconds(), TimeUnit.SECONDS))
        .isEqualTo("background process 'late' ended with exit code 4");
  }

  @Test
  void shouldKeepSecretsOutOfTheList() throws Exception {
    AgentProcessLauncher agent = launcher(Map.of());
    run(agent, "setsid sh -c 'sleep 8888; : --token canary-1234' & wait");
    BackgroundScanner scanner = scanner(agent);
    await("it runs", () -> !commands(scanner).isEmpty());
    BackgroundFiles files = new BackgroundFiles(folder.resolve("home"));

    files.write(scanner.scan());

    assertThat(files.read().toString()).contains("--token ***").doesNotContain("canary-1234");
    assertThat(files.read().getFirst().obstacle()).contains("what looks like a secret");
  }

  @Test
  void shouldKeepTheEndOfALargeLog() throws Exception {
    BackgroundFiles files = new BackgroundFiles(folder.resolve("home"));
    Path log =
        files.log(new BackgroundProcess("sleep 1", ".", null, List.of("sleep", "1"), null, -1));
    Files.writeString(log, "x".repeat((int) BackgroundFiles.MAX_LOG) + "the end");

    files.trimLogs();

    assertThat(Files.size(log)).isLessThan(BackgroundFiles.LOG_TAIL + 100L);
    assertThat(Files.readString(log)).startsWith("[the beginning was removed]").endsWith("the end");
  }

  @Test
  void shouldRefuseADamagedList() throws Exception {
    Path home = folder.resolve("home");
    BackgroundFiles files = new BackgroundFiles(home);
    files.write(List.of(new BackgroundProcess("a", ".", null, List.of("a"), null, -1)));
    Files.writeString(home.resolve("baton-background/processes.json"), "[{");

    org.assertj.core.api.Assertions.assertThatThrownBy(files::read)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the list of background processes is damaged");
  }
}
