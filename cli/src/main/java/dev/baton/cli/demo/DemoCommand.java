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
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
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
    footer = {"%nExamples:", "  baton demo --kills 10", "  baton demo --agent"})
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
          "Demonstrate an agent: the built-in loop fixes a program while its runner is killed twice. "
              + "Needs no key: the model is a script on loopback.")
  private boolean agent;

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
    long chosen = seed == null ? System.nanoTime() & 0xffffff : seed;
    int wanted = kills == null ? 1 : kills;
    DemoPrinter narrator = new DemoPrinter(context);
    Path home = DemoGitRepository.home();
    if (agent) {
      DemoGitRepository.checkGit(home);
      return runAgent(narrator, home);
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

  private int runAgent(DemoPrinter narrator, Path home) throws IOException, InterruptedException {
    AtomicBoolean late = new AtomicBoolean();
    Thread watchdog = watchdog(BASE, late);
    try (AgentDemoModel model = new AgentDemoModel();
        DemoStack stage = DemoStack.start(context, narrator, keep, false, model.settings())) {
      AgentDemoReport report;
      try {
        report = new AgentDemoScenario(narrator, stage, home, model).run();
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
