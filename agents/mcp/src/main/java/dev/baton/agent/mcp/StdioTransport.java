/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.AgentProcess;
import dev.baton.agent.process.OutputLineReader;
import dev.baton.agent.process.StdinWriter;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** A server that reads and writes messages as lines. */
final class StdioTransport implements McpTransport {
  private static final int MAX_NOTE = 2_000;
  private static final int MAX_ERROR_LINE = 8 * 1024;

  private final String server;
  private final AgentProcess process;
  private final StdinWriter stdin;
  private final Receiver receiver;
  private final Consumer<String> notes;

  private StdioTransport(
      String server, AgentProcess process, Receiver receiver, Consumer<String> notes) {
    this.server = server;
    this.process = process;
    this.receiver = receiver;
    this.notes = notes;
    this.stdin = new StdinWriter(process.stdin());
  }

  /**
   * @param notes receives lines of stderr, and what is not a message
   */
  static StdioTransport open(
      String server, AgentProcess process, Receiver receiver, Consumer<String> notes) {
    return new StdioTransport(server, process, receiver, notes);
  }

  @Override
  public void begin() {
    Thread.ofVirtual().name("mcp-stdout " + server).start(this::readMessages);
    Thread.ofVirtual().name("mcp-stderr " + server).start(this::readErrors);
  }

  private void readMessages() {
    String problem = "";
    try (InputStream in = process.stdout()) {
      OutputLineReader lines = new OutputLineReader(in, McpLimits.MESSAGE_BYTES);
      for (OutputLineReader.OutputLine line = lines.next(); line != null; line = lines.next()) {
        read(line);
      }
    } catch (IOException e) {
      problem = ": its output cannot be read: " + e.getMessage();
    }
    // Without output it cannot answer, even if it lives.
    receiver.ended("server '%s' ended%s%s".formatted(server, exit(), problem));
  }

  private void read(OutputLineReader.OutputLine line) throws IOException {
    if (line.text().isBlank()) {
      return;
    }
    if (line.dropped() > 0) {
      throw new IOException("a message has more than " + McpLimits.MESSAGE_BYTES + " bytes");
    }
    JsonNode message;
    try {
      message = Json.mapper().readTree(line.text());
    } catch (JsonProcessingException e) {
      notes.accept("not a message: " + TextShortener.shorten(line.text(), MAX_NOTE));
      return;
    }
    if (message.isArray()) {
      message.forEach(receiver::received);
    } else {
      receiver.received(message);
    }
  }

  /** Describes how the process ended; one that only closed its output is ended. */
  private String exit() {
    OptionalInt code = exitCode();
    if (code.isEmpty()) {
      process.terminate();
      code = exitCode();
    }
    if (code.isEmpty()) {
      process.kill();
    }
    return code.isPresent() ? " with exit code " + code.getAsInt() : " its output";
  }

  /** Waits for the end of the process; empty when it has not ended in time. */
  private OptionalInt exitCode() {
    try {
      return OptionalInt.of(process.onExit().get(McpLimits.END.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException | ExecutionException e) {
      return OptionalInt.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return OptionalInt.empty();
    }
  }

  private void readErrors() {
    try (InputStream in = process.stderr()) {
      OutputLineReader lines = new OutputLineReader(in, MAX_ERROR_LINE);
      for (OutputLineReader.OutputLine line = lines.next(); line != null; line = lines.next()) {
        notes.accept(line.text());
      }
    } catch (IOException e) {
      notes.accept("stderr cannot be read: " + e.getMessage());
    }
  }

  @Override
  public void send(ObjectNode message, Consumer<McpException> failed) {
    byte[] json = Json.bytes(message);
    byte[] line = Arrays.copyOf(json, json.length + 1);
    line[json.length] = '\n';
    if (!stdin.send(line)) {
      failed.accept(
          McpException.notSent(
              "server '%s' does not read its input: too much waits already".formatted(server)));
    }
  }

  @Override
  public void close() {
    stdin.close();
    if (exitCode().isEmpty()) {
      process.terminate();
      exitCode();
    }
    process.kill();
  }
}
