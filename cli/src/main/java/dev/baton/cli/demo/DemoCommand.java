/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.snapshot.TreeDeleter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton demo}. */
@Command(
    name = "demo",
    description =
        "Demonstrate failover: starts a stack in a temporary folder and runs a real job twice, "
            + "once undisturbed and once with its runner killed in the middle, and compares the results.",
    footer = {
      "%nExamples:",
      "  baton demo --kills 10",
      "  baton demo --agent",
      "  baton demo --agent --use claude"
    })
public final class DemoCommand implements Callable<Integer> {
  private static final Duration BASE = Duration.ofMinutes(5);
  private static final Duration PER_KILL = Duration.ofSeconds(30);
  private static final int MOST_KILLS = 1000;

  private final CommandContext context;

  @Option(
      names = "--kills",
      paramLabel = "N",
      description = "Number of kills at random moments, over as many runs as necessary.")
  private @Nullable Integer kills;

  @Option(
      names = "--seed",
      description = "Seed of the random moments; printed, so that the demo can be repeated.")
  private @Nullable Long seed;

  @Option(
      names = "--agent",
      description =
          "Demonstrate an agent: it fixes a program while its runner is killed twice. "
              + "Needs no key: the model is a script on loopback.")
  private boolean agent;

  @Option(
      names = "--use",
      paramLabel = "AGENT",
      description =
          "With --agent: loop (built in, the default), or the real program claude, codex or opencode, "
              + "from PATH or --program, with the same scripted model.")
  private @Nullable String use;

  @Option(
      names = "--program",
      paramLabel = "FILE",
      description = "With --use: the agent's program, if it is not in PATH.")
  private @Nullable String program;

  @Option(names = "--keep", description = "Keep the folder with all data of the demo.")
  private boolean keep;

  public DemoCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (kills != null && (kills < 1 || kills > MOST_KILLS)) {
      throw CliException.usage("--kills " + kills + " is not 1 to " + MOST_KILLS);
    }
    if (agent && (kills != null || seed != null)) {
      throw CliException.usage("--agent kills at fixed moments: leave out --kills and --seed");
    }
    DemoAgent demonstrated = demonstrated();
    long chosen = seed == null ? System.nanoTime() & 0xffffff : seed;
    int wanted = kills == null ? 1 : kills;
    DemoPrinter narrator = new DemoPrinter(context);
    Path home = DemoGitRepository.home();
    if (agent) {
      DemoGitRepository.checkGit(home);
      return runAgent(narrator, home, demonstrated);
    }
    DemoGitRepository.check(home);
    // One kill demonstrates; many kills measure, and starts without caches take twice as long.
    DemoStack stage = DemoStack.start(context, narrator, keep, kills != null, Map.of());
    AtomicBoolean late = new AtomicBoolean();
    Thread watchdog = watchdog(BASE.plus(PER_KILL.multipliedBy(wanted)), late);
    try (stage) {
      DemoScenario demo = new DemoScenario(context, narrator, stage, home);
      DemoReport report =
          demo.run(kills == null ? KillPlan.once() : KillPlan.random(wanted, chosen));
      if (report.passed()) {
        stage.succeeded();
      }
      stage.close();
      report = report.with(stage.leftovers());
      report.print(context, narrator, chosen);
      return (report.passed() ? CliExitCode.OK : CliExitCode.FAILED).number();
    } catch (CliException | InterruptedException e) {
      if (late.get()) {
        throw CliException.of(CliExitCode.TIMEOUT, "the demo took too long and was stopped", e);
      }
      throw e;
    } finally {
      stage.tellIfKept();
      watchdog.interrupt();
    }
  }

  /** Returns the agent of the options, whose combination must be valid. */
  private DemoAgent demonstrated() {
    if (!agent && (use != null || program != null)) {
      throw CliException.usage(
          (use == null ? "--program" : "--use") + " names an agent: add --agent");
    }
    DemoAgent chosen =
        use == null
            ? DemoAgent.LOOP
            : DemoAgent.of(use)
                .orElseThrow(
                    () ->
                        CliException.usage(
                            "--use '%s' is not an agent of the demo; allowed: %s"
                                .formatted(use, String.join(", ", DemoAgent.uses()))));
    if (program != null && !chosen.isProgram()) {
      throw CliException.usage(
          "--program: the built-in loop has no program; add --use claude, codex or opencode");
    }
    return chosen;
  }

  private Map<String, String> settings(
      DemoAgent demonstrated, AgentDemoModel model, DemoPrinter narrator, Path folder)
      throws IOException, InterruptedException {
    Map<String, String> settings = new HashMap<>(model.settings());
    if (demonstrated.isProgram()) {
      String path = System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
      DemoAgentProgram found = DemoAgentProgram.find(demonstrated, program, path);
      narrator.line("  %s %s at %s".formatted(demonstrated.use(), found.version(), found.file()));
      settings.putAll(found.settings(folder, path));
    }
    return settings;
  }

  private int runAgent(DemoPrinter narrator, Path home, DemoAgent demonstrated)
      throws IOException, InterruptedException {
    AtomicBoolean late = new AtomicBoolean();
    Thread watchdog = watchdog(BASE, late);
    Path programs = Files.createTempDirectory("baton-demo-program-");
    try (AgentDemoModel model = new AgentDemoModel(demonstrated);
        DemoStack stage =
            DemoStack.start(
                context,
                narrator,
                keep,
                false,
                settings(demonstrated, model, narrator, programs))) {
      AgentDemoReport report;
      try {
        report = new AgentDemoScenario(narrator, stage, home, model, demonstrated).run();
        if (report.passed()) {
          stage.succeeded();
        }
        stage.close();
      } finally {
        stage.tellIfKept();
      }
      report = report.with(stage.leftovers());
      report.print(context, narrator);
      return (report.passed() ? CliExitCode.OK : CliExitCode.FAILED).number();
    } catch (CliException | InterruptedException e) {
      if (late.get()) {
        throw CliException.of(CliExitCode.TIMEOUT, "the demo took too long and was stopped", e);
      }
      throw e;
    } finally {
      watchdog.interrupt();
      TreeDeleter.deleteFully(programs);
    }
  }

  private static Thread watchdog(Duration bound, AtomicBoolean late) {
    Thread worker = Thread.currentThread();
    return Thread.ofVirtual()
        .start(
            () -> {
              try {
                Thread.sleep(bound);
                late.set(true);
                worker.interrupt();
              } catch (InterruptedException _) {
                // The demo has ended.
                Thread.currentThread().interrupt();
              }
            });
  }
}
