/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.agent;

import dev.baton.benchmarks.baton.AgentRunDriver;
import dev.baton.benchmarks.baton.BenchmarkStack;
import dev.baton.benchmarks.baton.TakeoverTimes;
import dev.baton.benchmarks.measure.DiskUsage;
import dev.baton.benchmarks.measure.DurationDistribution;
import dev.baton.benchmarks.measure.MachineDescription;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.standalone.StackComponent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.DeflaterOutputStream;

/**
 * Runs the same session of an agent alone, through the model gateway, and with a cut at each turn;
 * then kills the runner of one in its last turn. All sessions have one endpoint, which measures.
 */
public record AgentBenchmark(AgentOptions options, Path folder, Consumer<String> progress) {
  /** No real model: its price is unknown, and no budget needs it. */
  static final String MODEL = "claude-benchmark";

  private static final Duration PATIENCE = Duration.ofMinutes(20);

  /** The first part of each session is not measured: compilers and caches warm up. */
  private static final int WARM_UP = 5;

  public AgentResult run() throws IOException, InterruptedException {
    TimedModelScript script = new TimedModelScript();
    Path arguments = folder.resolve("agent.args");
    Files.writeString(
        arguments,
        "-XX:TieredStopAtLevel=1 -Xmx128m -cp \"%s\" %s"
            .formatted(System.getProperty("java.class.path"), AppendingAgentMain.class.getName()));
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "@" + arguments);
    try (ScriptedModelServer endpoint = ScriptedModelServer.startWithoutKeeping(script);
        BenchmarkStack stack =
            BenchmarkStack.start(
                folder.resolve("stack"),
                Map.of(
                    StackComponent.ORCHESTRATOR.label(),
                    Map.of(
                        "BATON_MODELS_ANTHROPIC_MESSAGES_URL",
                        endpoint.baseUrl().toString(),
                        "ANTHROPIC_API_KEY",
                        "none")),
                progress);
        AgentRunDriver driver = AgentRunDriver.on(stack, command, MODEL, files())) {
      Sessions sessions = new Sessions(script, stack, driver, endpoint, command);
      List<AgentResult.Speed> speeds = new ArrayList<>();
      speeds.add(sessions.compare(options.turns(), Duration.ZERO));
      speeds.add(sessions.compare(options.slowTurns(), options.slow()));
      long before = sessions.storedBytes();
      driver.complete(driver.startWithoutAgent(), PATIENCE);
      long tree = sessions.storedBytes() - before;
      AgentProcessRunner alone = sessions.alone();
      AgentResult.Resume resume = sessions.resume(options.turns(), alone);
      AgentResult.Stored stored =
          new AgentResult.Stored(
              options.turns(),
              tree,
              deflated(alone.transcript()),
              sessions.storedBytes() - before - tree);
      return new AgentResult(
          Instant.now(), MachineDescription.line(), options.files(), speeds, resume, stored);
    }
  }

  /** A script that creates the files, with contents of their own in each run. */
  private String files() {
    return """
        i=0
        while [ $i -lt %d ]; do
          [ $((i %% 100)) -ne 0 ] || mkdir -p dir$((i / 100))
          echo "file $i of ${BATON_RUN_ID:-none}" > dir$((i / 100))/file$i
          i=$((i + 1))
        done
        """
        .formatted(options.files());
  }

  /** The sessions on one stack. Not thread-safe. */
  private final class Sessions {
    private final TimedModelScript script;
    private final BenchmarkStack stack;
    private final AgentRunDriver driver;
    private final ScriptedModelServer endpoint;
    private final List<String> command;
    private int folders;

    Sessions(
        TimedModelScript script,
        BenchmarkStack stack,
        AgentRunDriver driver,
        ScriptedModelServer endpoint,
        List<String> command) {
      this.script = script;
      this.stack = stack;
      this.driver = driver;
      this.endpoint = endpoint;
      this.command = command;
    }

    AgentResult.Speed compare(int turns, Duration model) throws IOException, InterruptedException {
      String what = "%,d turns, the model takes %d ms: ".formatted(turns, model.toMillis());
      progress.accept(what + "the agent alone");
      AgentProcessRunner alone = alone();
      script.begin(turns, model, 0);
      alone.end(alone.start());
      final DurationDistribution aloneTimes = measured(turns);

      progress.accept(what + "with the gateway");
      script.begin(turns, model, 0);
      driver.complete(driver.start("none"), PATIENCE);
      final DurationDistribution gatewayTimes = measured(turns);

      progress.accept(what + "with turn cuts");
      script.begin(turns, model, 0);
      driver.complete(driver.start("turn"), PATIENCE);
      return new AgentResult.Speed(model, turns, aloneTimes, gatewayTimes, measured(turns));
    }

    AgentResult.Resume resume(int turns, AgentProcessRunner alone)
        throws IOException, InterruptedException {
      progress.accept("resume of a session of %,d turns".formatted(turns));
      script.begin(turns, Duration.ZERO, turns);
      Process first = alone.start();
      script.await(turns, PATIENCE);
      first.destroyForcibly().waitFor();
      long start = System.nanoTime();
      Process second = alone.start();
      double aloneMillis = (script.await(turns + 1, PATIENCE) - start) / 1e6;
      alone.end(second);

      script.begin(turns, Duration.ZERO, turns);
      String run = driver.start("turn");
      script.await(turns, PATIENCE);
      long killed = driver.killRunner(run);
      long resumed = script.await(turns + 1, PATIENCE);
      TakeoverTimes takeover = driver.awaitResume(run);
      driver.complete(run, PATIENCE);
      return new AgentResult.Resume(
          turns,
          (takeover.runner() - killed) / 1e6,
          (resumed - takeover.runner()) / 1e6,
          aloneMillis);
    }

    AgentProcessRunner alone() throws IOException, InterruptedException {
      AgentProcessRunner alone =
          new AgentProcessRunner(command, endpoint.baseUrl(), folder.resolve("alone" + folders++));
      alone.prepare(files());
      return alone;
    }

    /**
     * @throws IOException when the session had another number of requests
     */
    private DurationDistribution measured(int turns) throws IOException {
      long[] periods = script.periods();
      if (periods.length != turns - 1) {
        throw new IOException(
            "a session of %d turns had %d requests".formatted(turns, periods.length + 1));
      }
      return DurationDistribution.of(Arrays.copyOfRange(periods, WARM_UP, periods.length));
    }

    long storedBytes() throws IOException {
      return DiskUsage.of(stack.objects()).bytes();
    }
  }

  private static long deflated(Path file) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DeflaterOutputStream out = new DeflaterOutputStream(bytes)) {
      Files.copy(file, out);
    }
    return bytes.size();
  }
}
