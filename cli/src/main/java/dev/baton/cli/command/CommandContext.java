/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.ApiKeyResolver;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.client.ServerAddress;
import dev.baton.cli.client.TlsSettingsResolver;
import dev.baton.cli.stack.DataFolder;
import dev.baton.cli.terminal.Terminal;
import dev.baton.cli.terminal.TerminalStyle;
import dev.baton.cli.terminal.TextEscaper;
import dev.baton.cli.terminal.TextTable;
import dev.baton.protocol.json.Json;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Provides a command with the terminal, the environment, the global options and the server. Used by
 * one thread.
 */
public final class CommandContext implements AutoCloseable {
  private final Terminal terminal;
  private final Map<String, String> environment;
  private final GlobalOptions options;
  private @Nullable OrchestratorRestClient client;

  public CommandContext(Terminal terminal, Map<String, String> environment, GlobalOptions options) {
    this.terminal = terminal;
    this.environment = Map.copyOf(environment);
    this.options = options;
  }

  /** Returns the terminal; with {@code -o json}, one that prints no progress to scripts. */
  public Terminal terminal() {
    return json() ? terminal.forScripts() : terminal;
  }

  public Map<String, String> environment() {
    return environment;
  }

  public GlobalOptions options() {
    return options;
  }

  public boolean json() {
    return options.format() == OutputFormat.JSON;
  }

  public TerminalStyle style() {
    return new TerminalStyle(terminal.outIsTerminal() && !withoutColour());
  }

  /** Whether the user has disabled colours. */
  public boolean withoutColour() {
    return options.noColor() || !environment.getOrDefault("NO_COLOR", "").isEmpty();
  }

  public DataFolder dataFolder() {
    return DataFolder.resolve(options.data(), environment);
  }

  /**
   * Returns the client of the server, which is resolved on first use.
   *
   * @throws CliException when the address is missing or invalid
   */
  public OrchestratorRestClient client() {
    if (client == null) {
      client = client(ServerAddress.resolve(this));
    }
    return client;
  }

  /** Returns a new client of another server, with the API key for it. */
  public OrchestratorRestClient client(ServerAddress server) {
    return new OrchestratorRestClient(
        server,
        ApiKeyResolver.resolve(this, server),
        TlsSettingsResolver.resolve(this, server),
        terminal(),
        options.verbose());
  }

  @Override
  public void close() {
    if (client != null) {
      client.close();
    }
  }

  /**
   * @throws CliException when the reader of the output is gone
   */
  public void print(String line) {
    terminal.out().println(line);
    checkReader();
  }

  /** Prints a table, or a line instead when it has no rows. */
  public void print(TextTable table, String otherwise) {
    if (table.isEmpty()) {
      print(otherwise);
    } else {
      table.print(terminal.out(), style());
    }
  }

  /**
   * @throws CliException when the reader of the output is gone
   */
  public void checkReader() {
    if (terminal.out().checkError()) {
      throw CliException.of(CliExitCode.PIPE, "the reader of the output is gone");
    }
  }

  /**
   * Prints indented JSON on stdout; escapes characters within strings that control a terminal or
   * are invisible.
   */
  public void printJson(JsonNode value) {
    try {
      print(
          TextEscaper.json(
              Json.mapper().writerWithDefaultPrettyPrinter().writeValueAsString(value)));
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Prints a result: as JSON with {@code -o json}, otherwise this line. */
  public void show(JsonNode result, String line) {
    show(result, () -> print(line));
  }

  /** Prints a result: as JSON with {@code -o json}, otherwise as {@code people} prints it. */
  public void show(JsonNode result, Runnable people) {
    if (json()) {
      printJson(result);
    } else {
      people.run();
    }
  }

  /** Adds the author of a change to a request: the name given, or else {@code $USER}. */
  public void putAuthor(ObjectNode body, @Nullable String given) {
    String name = given == null ? environment.get("USER") : given;
    if (name != null && !name.isBlank()) {
      body.put("by", name);
    }
  }

  /** Prints one line of JSON on stdout, for streams. */
  public void printJsonLine(JsonNode value) {
    print(TextEscaper.json(value.toString()));
  }
}
