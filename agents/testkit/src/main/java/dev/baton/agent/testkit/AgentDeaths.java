/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.agent.AgentDriver;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.CheckedProgram;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ScriptedReply;
import dev.baton.scripted.ScriptedRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Compares a session over kills with an undisturbed one. */
public final class AgentDeaths {
  private AgentDeaths() {}

  /**
   * @param lines lines of {@code out.txt}, to which each command appends one
   */
  public static void check(
      AgentDriver driver,
      List<String> command,
      Path folder,
      List<ScriptedReply> script,
      String model,
      int lines)
      throws Exception {
    check(driver, command, folder, script, model, lines, DeathPlan.STANDARD);
  }

  /**
   * @param lines lines of {@code out.txt}, to which each command appends one
   */
  public static void check(
      AgentDriver driver,
      List<String> command,
      Path folder,
      List<ScriptedReply> script,
      String model,
      int lines,
      DeathPlan plan)
      throws Exception {
    check(
        driver,
        command,
        folder,
        ModelScript.byTurn(script),
        request -> true,
        script.size(),
        model,
        lines,
        plan);
  }

  /**
   * @param counted requests for the work
   * @param calls such requests of an undisturbed session
   * @param lines lines of {@code out.txt}, to which each command appends one
   */
  public static void check(
      AgentDriver driver,
      List<String> command,
      Path folder,
      ModelScript script,
      Predicate<ScriptedRequest> counted,
      int calls,
      String model,
      int lines,
      DeathPlan plan)
      throws Exception {
    CheckedProgram program = driver.check(InstalledAgents.of(command), new PlainProcessStarter());
    long seed = Long.getLong("baton.seed", System.nanoTime());
    System.out.println(driver.use() + " " + program.version() + " -Dbaton.seed=" + seed);

    DeathHarness.Outcome calm =
        new DeathHarness(driver, program, folder.resolve("calm"), script, model, counted, plan)
            .run(new Random(seed), 0);
    if (Boolean.getBoolean("baton.show")) {
      calm.events().forEach(event -> System.out.println("calm: " + event));
    }
    System.out.println("calm: " + calm.end() + " " + calm.files() + " " + calm.seen());
    DeathHarness.Outcome killed =
        new DeathHarness(driver, program, folder.resolve("killed"), script, model, counted, plan)
            .run(new Random(seed), plan.kills());
    System.out.println(
        "%s: killed %d, lost %d: %s, %d calls (undisturbed %d), sessions %s, %s, %s"
            .formatted(
                driver.use(),
                killed.kills(),
                killed.lost(),
                killed.files(),
                killed.calls(),
                calm.calls(),
                killed.sessions(),
                killed.end(),
                killed.seen()));

    assertThat(calm.end().kind()).isEqualTo(AgentEnd.Kind.COMPLETED);
    assertThat(calm.end().text()).isEqualTo("all done");
    assertThat(calm.files().get("out.txt")).hasLineCount(lines);
    assertThat(calm.calls()).isEqualTo(calls);
    assertThat(begun(calm)).isEqualTo(ended(calm)).isNotEmpty();
    assertThat(killed.end().kind()).isEqualTo(AgentEnd.Kind.COMPLETED);
    assertThat(killed.end().text()).isEqualTo("all done");
    assertThat(sorted(killed.files())).isEqualTo(sorted(calm.files()));
    assertThat(killed.sessions()).hasSize(1);
    assertThat(killed.seen())
        .as(() -> String.join("\n", killed.requests()))
        .noneMatch(event -> event.startsWith("diverged"));
    // Only an answer that was coming at a kill is paid again.
    assertThat(killed.calls())
        .as(() -> String.join("\n", killed.requests()))
        .isBetween(calm.calls(), calm.calls() + killed.lost());
    assertThat(killed.lost()).isLessThanOrEqualTo(killed.kills() * plan.conversations());
  }

  private static List<String> begun(DeathHarness.Outcome outcome) {
    return outcome.events().stream()
        .filter(AgentEvent.ToolBegun.class::isInstance)
        .map(event -> ((AgentEvent.ToolBegun) event).callId())
        .sorted()
        .toList();
  }

  private static List<String> ended(DeathHarness.Outcome outcome) {
    return outcome.events().stream()
        .filter(AgentEvent.ToolEnded.class::isInstance)
        .map(event -> ((AgentEvent.ToolEnded) event).callId())
        .sorted()
        .toList();
  }

  /** Parallel commands append in any order. */
  private static Map<String, String> sorted(Map<String, String> files) {
    Map<String, String> result = new TreeMap<>(files);
    result.computeIfPresent(
        "out.txt", (name, text) -> text.lines().sorted().collect(Collectors.joining("\n")));
    return result;
  }
}
