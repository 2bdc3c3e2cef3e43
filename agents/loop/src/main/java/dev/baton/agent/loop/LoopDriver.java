/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import dev.baton.agent.AgentDriver;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentFolders;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentListener;
import dev.baton.agent.AgentProcess;
import dev.baton.agent.AgentProcessStarter;
import dev.baton.agent.AgentProgram;
import dev.baton.agent.AgentProgramException;
import dev.baton.agent.AgentSession;
import dev.baton.agent.AgentStart;
import dev.baton.agent.CheckedProgram;
import dev.baton.agent.McpAccess;
import dev.baton.agent.StateFiles;
import dev.baton.agent.loop.session.LoopConversation;
import dev.baton.agent.loop.session.LoopSessionFile;
import dev.baton.agent.loop.session.SessionFileException;
import dev.baton.agent.process.AgentEnvironment;
import dev.baton.agent.process.EndedSession;
import dev.baton.agent.process.PromptImages;
import dev.baton.agent.process.PromptImages.PromptImage;
import dev.baton.agent.process.SessionFile;
import dev.baton.agent.process.StateText;
import dev.baton.gateway.key.AgentFamily;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Drives the built-in loop ({@code use: loop}), a process of its own with the classes of this
 * program. It is resumed within its turn, without a new prompt. Its state is the file of the
 * session, {@code sessions/ID.jsonl}.
 */
public final class LoopDriver implements AgentDriver {
  /** Grows with the format of the session's file. */
  static final String VERSION = Integer.toString(LoopSessionFile.FORMAT);

  /** Base64 of so many bytes fits into a text of JSON, and into a request. */
  private static final long MAX_IMAGE_BYTES = 12L << 20;

  private static final Pattern ID = Pattern.compile("[0-9a-f-]{36}");

  @Override
  public String use() {
    return "loop";
  }

  @Override
  public AgentFamily family() {
    return AgentFamily.OTHER;
  }

  @Override
  public CheckedProgram check(AgentProgram program, AgentProcessStarter starter)
      throws AgentProgramException {
    String wanted = program.version();
    if (wanted != null && !wanted.equals(VERSION)) {
      throw new AgentProgramException(
          "agent 'loop': version %s is required, this runner has version %s; remove 'version' of the step, or use another runner"
              .formatted(wanted, VERSION));
    }
    return new CheckedProgram(LoopProgram.command(), VERSION);
  }

  @Override
  public AgentSession start(AgentLaunch launch, AgentProcessStarter starter, AgentListener listener)
      throws IOException {
    Path home = launch.folders().home();
    String resumed = null;
    String prompt = null;
    switch (launch.start()) {
      case AgentStart.Fresh(String text) -> prompt = text;
      case AgentStart.Fallback(String text, String refused) -> {
        prompt = text;
        if (ID.matcher(refused).matches()) {
          Files.deleteIfExists(LoopConversation.file(home, refused));
        }
      }
      case AgentStart.Resume(String id) -> resumed = id;
      case AgentStart.Continue(String id, String text) -> {
        resumed = id;
        prompt = text;
      }
      case AgentStart.Fork fork -> {
        try {
          LoopConversation.rename(home, fork.from(), fork.to());
        } catch (SessionFileException e) {
          return EndedSession.refused(fork.from(), String.valueOf(e.getMessage()));
        }
        return start(launch.withStart(fork.forked()), starter, listener);
      }
    }
    AgentSession ended = problem(launch, home, resumed, prompt);
    if (ended != null) {
      return ended;
    }
    List<PromptImage> images;
    try {
      images = prompt == null ? List.of() : images(launch.task().images());
    } catch (IOException e) {
      return failed("agent 'loop': " + e.getMessage());
    }
    Path temporary = home.resolve("tmp");
    StateText.delete(temporary);
    Files.createDirectories(temporary);
    String id = resumed == null ? UUID.randomUUID().toString() : resumed;
    AgentProcess process =
        starter.start(
            new AgentProcessStarter.AgentCommand(
                launch.program().command(),
                AgentEnvironment.of(launch.environment(), Map.of("TMPDIR", temporary.toString())),
                launch.folders().workspace()));
    return LoopProcessSession.begin(
        process,
        listener,
        launch.program().version(),
        settings(launch, id, resumed, prompt, images));
  }

  /** An end without a start of the loop; null when nothing speaks against one. */
  private static @Nullable AgentSession problem(
      AgentLaunch launch, Path home, @Nullable String resumed, @Nullable String prompt)
      throws IOException {
    if (resumed != null) {
      if (!ID.matcher(resumed).matches()) {
        return EndedSession.refused(resumed, "'" + resumed + "' is not the id of a session");
      }
      try {
        LoopConversation.check(home, resumed);
      } catch (SessionFileException e) {
        return EndedSession.refused(resumed, String.valueOf(e.getMessage()));
      }
    }
    if (launch.model().model().isBlank()) {
      return failed("agent 'loop' has no model: set 'model' of the step, or baton.agent.model");
    }
    if (prompt != null && prompt.isBlank()) {
      return failed("the prompt of agent 'loop' is empty");
    }
    return null;
  }

  /** Reads the images; together they must fit into one request to the gateway. */
  private static List<PromptImage> images(List<Path> files) throws IOException {
    long bytes = 0;
    for (Path file : files) {
      bytes += Files.isRegularFile(file) ? Files.size(file) : 0;
    }
    if (bytes > MAX_IMAGE_BYTES) {
      throw new IOException(
          "the images have %d bytes together; at most %d are allowed"
              .formatted(bytes, MAX_IMAGE_BYTES));
    }
    return PromptImages.read(files);
  }

  private static AgentSession failed(String message) {
    return new EndedSession("", new AgentEnd(AgentEnd.Kind.FAILED, "", -1, message));
  }

  private static LoopSettings settings(
      AgentLaunch launch,
      String id,
      @Nullable String resumed,
      @Nullable String prompt,
      List<PromptImage> images) {
    return new LoopSettings(
        id,
        resumed != null,
        prompt,
        launch.folders().home().toString(),
        launch.folders().workspace().toString(),
        launch.model().baseUrl(),
        launch.model().token(),
        launch.model().model(),
        launch.task().system(),
        launch.task().tools().allow(),
        launch.task().tools().ask(),
        launch.task().tools().deny(),
        launch.task().tools().interrupted(),
        launch.task().outputSchema(),
        launch.task().mcp().stream()
            .filter(McpAccess.Http.class::isInstance)
            .map(McpAccess.Http.class::cast)
            .map(it -> new LoopSettings.LoopMcpServer(it.name(), it.url(), it.headers()))
            .toList(),
        images,
        launch.task().context().window(),
        launch.task().context().compactAt());
  }

  @Override
  public StateFiles stateFiles() {
    return new StateFiles(List.of("sessions/*.jsonl"), List.of());
  }

  /** Nothing: the session's file names no paths. */
  @Override
  public void relocate(
      AgentFolders folders,
      Path oldWorkspace,
      CheckedProgram program,
      AgentProcessStarter starter) {
    // Paths of tools are relative to the workspace.
  }

  @Override
  public boolean settled(Path home, String sessionId, List<String> lastCalls, Duration bound)
      throws IOException, InterruptedException {
    SessionFile file = new SessionFile(LoopConversation.file(home, sessionId));
    return StateText.await(
        bound,
        () ->
            file.endsWithLine()
                && file.missing(
                        Set.copyOf(lastCalls), (row, id) -> row.contains("\"type\":\"result\""))
                    .isEmpty());
  }
}
