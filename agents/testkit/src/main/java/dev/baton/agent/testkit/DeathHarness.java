/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.AgentDriver;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentFolders;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentLaunch.AgentTask;
import dev.baton.agent.AgentLaunch.ModelAccess;
import dev.baton.agent.AgentSession;
import dev.baton.agent.AgentStart;
import dev.baton.agent.CheckedProgram;
import dev.baton.agent.process.StateText;
import dev.baton.gateway.GatewaySession;
import dev.baton.gateway.boundary.BoundaryPoint;
import dev.baton.process.MarkedProcessFinder;
import dev.baton.protocol.json.TextShortener;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ScriptedRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs one session of a real agent over kills: each life has a new home and a new workspace, which
 * contain what was captured at the newest boundary.
 */
public final class DeathHarness {
  public static final String MODEL = "claude-sonnet-4-5";
  private static final String MARK = "BATON_TEST_MARK";
  private static final int MOST_ITEMS = 4;
  private static final int MOST_TEXT = 400;

  private final AgentDriver driver;
  private final CheckedProgram program;
  private final Path folder;
  private final ModelScript script;
  private final String model;
  private final Predicate<ScriptedRequest> counted;
  private final DeathPlan plan;
  private @Nullable Cut cut;
  private int lives;

  /** What a resume needs. */
  private record Cut(Path folder, Path workspace, String session, int journaled) {}

  /**
   * What a session left.
   *
   * @param files contents by name
   * @param calls counted requests that the endpoint saw
   * @param lost requests whose answers were coming at a kill
   * @param requests what the endpoint saw, shortened
   */
  public record Outcome(
      Map<String, String> files,
      int calls,
      int kills,
      int lost,
      List<String> sessions,
      AgentEnd end,
      List<AgentEvent> events,
      List<String> seen,
      List<String> requests) {}

  /**
   * @param counted requests for the work; others are the agent's own, as for titles
   */
  public DeathHarness(
      AgentDriver driver,
      CheckedProgram program,
      Path folder,
      ModelScript script,
      String model,
      Predicate<ScriptedRequest> counted,
      DeathPlan plan) {
    this.counted = counted;
    this.driver = driver;
    this.program = program;
    this.folder = folder;
    this.script = script;
    this.model = model;
    this.plan = plan;
  }

  public Outcome run(Random random, int kills) throws Exception {
    int killed = 0;
    Set<Integer> lost = new TreeSet<>();
    List<String> sessions = new ArrayList<>();
    try (AgentRig rig = new AgentRig(script)) {
      while (true) {
        RecordingListener listener = new RecordingListener();
        Life life = new Life(rig, listener);
        boolean dies = killed < kills;
        long started = System.nanoTime();
        life.start();
        if (dies) {
          long delay = moment(random, life);
          if (!life.session.end().isDone()) {
            boolean runnerToo = random.nextBoolean();
            if (runnerToo) {
              rig.replaceGateway();
            }
            lost.addAll(life.kill());
            killed++;
            System.out.printf(
                "%s: life %d killed after %d ms (+%d ms), runner %s, %d journaled, %d requests, cut %s%n",
                driver.use(),
                lives,
                (System.nanoTime() - started) / 1_000_000,
                delay,
                runnerToo ? "too" : "lives",
                rig.journaled(),
                rig.endpoint.requests().size(),
                cut == null ? "none" : cut.folder.getFileName());
            collect(sessions, life);
            continue;
          }
        }
        AgentEnd end = life.await();
        collect(sessions, life);
        return new Outcome(
            files(life.workspace),
            (int) rig.endpoint.requests().stream().filter(counted).count(),
            killed,
            lost.size(),
            sessions,
            end,
            listener.events(),
            List.copyOf(rig.events),
            rig.endpoint.requests().stream().map(DeathHarness::shown).toList());
      }
    }
  }

  /** The newest items of the conversation. */
  private static String shown(ScriptedRequest request) {
    JsonNode items =
        request.body().has("input")
            ? request.body().path("input")
            : request.body().path("messages");
    List<String> newest = new ArrayList<>();
    for (int i = Math.max(0, items.size() - MOST_ITEMS); i < items.size(); i++) {
      newest.add(TextShortener.shorten(items.path(i).toString(), MOST_TEXT));
    }
    return "request %d, %d items: %s".formatted(request.number(), items.size(), newest);
  }

  /** A life that dies before the first cut is followed by a new session. */
  private void collect(List<String> sessions, Life life) {
    String id = life.session.id();
    if (cut != null && !id.isEmpty() && !sessions.contains(id)) {
      sessions.add(id);
    }
  }

  /** Waits until a random moment of the session: so many answers, tools or events, and a delay. */
  private long moment(Random random, Life life) throws InterruptedException {
    life.listener.awaitNumber(1 + random.nextInt(plan.events()), life.session.end());
    long delay = random.nextInt(400);
    try {
      life.session.end().get(delay, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      // The moment has come.
    } catch (java.util.concurrent.ExecutionException e) {
      throw new IllegalStateException(e);
    }
    return delay;
  }

  private final class Life {
    final AgentRig rig;
    final RecordingListener listener;
    final Path home;
    final Path workspace;
    final String mark = UUID.randomUUID().toString();
    final GatewaySession gateway;
    volatile boolean dead;
    volatile String id = "";

    /** Set by {@link #start}. */
    @SuppressWarnings("NullAway.Init")
    AgentSession session;

    Life(AgentRig rig, RecordingListener listener) throws Exception {
      this.rig = rig;
      this.listener = listener;
      lives++;
      home = folder.resolve("home-" + lives);
      workspace =
          Files.createDirectories(folder.resolve(plan.isMoved() ? "work-" + lives : "work"));
      Cut from = cut;
      AgentStart start = new AgentStart.Fresh("go");
      if (from != null) {
        InstalledAgents.copy(from.folder.resolve("home"), home, InstalledAgents.ALL);
        InstalledAgents.copy(from.folder.resolve("work"), workspace, InstalledAgents.ALL);
        driver.relocate(
            new AgentFolders(workspace, home), from.workspace, program, new PlainProcessStarter());
        start = new AgentStart.Resume(from.session);
        id = from.session;
      }
      gateway = rig.open(driver.family(), from == null ? 0 : from.journaled, this::capture);
      launch = launch(start);
    }

    final AgentLaunch launch;

    void start() throws IOException {
      session = driver.start(launch, new PlainProcessStarter(), listener);
    }

    private AgentLaunch launch(AgentStart start) {
      Map<String, String> environment = new HashMap<>();
      environment.put("PATH", System.getenv("PATH"));
      environment.put("HOME", folder.resolve("user").toString());
      environment.put(MARK, mark);
      return new AgentLaunch(
          "work",
          program,
          new AgentFolders(workspace, home),
          new ModelAccess(rig.gateway().baseUrl(), gateway.token(), model),
          start,
          AgentTask.PLAIN,
          environment);
    }

    private void capture(BoundaryPoint point) throws IOException, InterruptedException {
      String current = id;
      if (current.isEmpty()) {
        assertThat(listener.await(AgentEvent.SessionStarted.class::isInstance)).isTrue();
        current = listener.of(AgentEvent.SessionStarted.class).getFirst().sessionId();
        id = current;
      }
      if (!driver.settled(home, current, point.lastCalls(), Duration.ofSeconds(10))) {
        throw new IOException("not settled: " + point.lastCalls());
      }
      Path target = folder.resolve("cut-" + lives + "-" + point.number());
      InstalledAgents.copy(home, target.resolve("home"), driver.stateFiles()::contains);
      InstalledAgents.copy(workspace, target.resolve("work"), InstalledAgents.ALL);
      synchronized (DeathHarness.this) {
        if (!dead) {
          cut = new Cut(target, workspace, current, rig.journaled());
        }
      }
    }

    /** Returns the numbers of the requests whose answers were coming. */
    Set<Integer> kill() throws IOException, InterruptedException {
      synchronized (DeathHarness.this) {
        dead = true;
      }
      for (int i = 0; i < 3; i++) {
        for (var process : MarkedProcessFinder.withVariable(MARK, mark)) {
          process.handle().ifPresent(ProcessHandle::destroyForcibly);
          process.awaitEnd(Duration.ofSeconds(10));
        }
      }
      Set<Integer> coming = rig.unanswered();
      gateway.close();
      await();
      // What the agent was writing is damaged: nothing of it is used again.
      Files.createDirectories(home);
      StateText.delete(home);
      StateText.delete(workspace);
      return coming;
    }

    AgentEnd await() throws InterruptedException {
      try {
        return session.end().get(90, TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        throw new AssertionError(driver.use() + " did not end; events: " + listener.events(), e);
      } catch (java.util.concurrent.ExecutionException e) {
        throw new AssertionError(e);
      } finally {
        gateway.close();
      }
    }
  }

  public static Map<String, String> files(Path workspace) throws IOException {
    Map<String, String> contents = new TreeMap<>();
    try (Stream<Path> files = Files.walk(workspace)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        contents.put(
            workspace.relativize(file).toString(),
            new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
      }
    }
    return contents;
  }
}
