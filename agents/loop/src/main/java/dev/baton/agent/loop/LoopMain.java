/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import dev.baton.agent.AgentEnd;
import dev.baton.agent.loop.session.LoopConversation;
import dev.baton.agent.loop.session.SessionFileException;
import dev.baton.protocol.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The program of the built-in loop. Its first line of input has the {@link LoopSettings}; it ends
 * with its turn, or when the input ends: then the runner is dead, and what the loop did from now on
 * would be done again.
 */
public final class LoopMain {
  /** Exit code when the driver has ended. */
  private static final int ABANDONED = 3;

  private LoopMain() {}

  /**
   * @param arguments none
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    PrintStream protocol = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    // What a library prints is not a line of the protocol.
    System.setOut(System.err);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String first = in.readLine();
    if (first == null) {
      System.err.println("the loop is started by its driver, which sends settings to its input");
      System.exit(2);
      return;
    }
    LoopSettings settings = Json.mapper().readValue(first, LoopSettings.class);
    LoopChannel channel = new LoopChannel(protocol);
    Thread.ofPlatform().daemon().name("driver-input").start(() -> follow(channel, in));
    AgentEnd end = run(settings, channel);
    channel.end(end.kind(), end.text(), end.message());
    // Without waiting for threads that still read the output of background processes.
    Runtime.getRuntime().halt(0);
  }

  private static void follow(LoopChannel channel, BufferedReader in) {
    try {
      channel.readUntilEnd(in);
    } catch (IOException e) {
      System.err.println("input of the loop: cannot be read: " + e.getMessage());
    }
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
    Runtime.getRuntime().halt(ABANDONED);
  }

  private static AgentEnd run(LoopSettings settings, LoopChannel channel)
      throws InterruptedException {
    try (LoopConversation conversation = conversation(settings);
        McpToolProvider servers = McpToolProvider.connect(settings.mcp(), channel::notice)) {
      channel.started(settings.session(), settings.model());
      return new LoopSessionRunner(settings, channel, servers.tools()).run(conversation);
    } catch (SessionFileException e) {
      return new AgentEnd(
          AgentEnd.Kind.SESSION_REFUSED,
          "",
          0,
          "session " + settings.session() + ": " + e.getMessage());
    } catch (IOException e) {
      return new AgentEnd(
          AgentEnd.Kind.FAILED, "", 0, "session %s: %s".formatted(settings.session(), e));
    }
  }

  private static LoopConversation conversation(LoopSettings settings)
      throws SessionFileException, IOException {
    Path home = Path.of(settings.home());
    String prompt = settings.prompt();
    if (!settings.resumed()) {
      return LoopConversation.begin(
          home, settings.session(), null, prompt == null ? "" : prompt, settings.images());
    }
    LoopConversation conversation = LoopConversation.open(home, settings.session());
    if (prompt != null) {
      conversation.addUserText(prompt, settings.images());
    }
    return conversation;
  }
}
