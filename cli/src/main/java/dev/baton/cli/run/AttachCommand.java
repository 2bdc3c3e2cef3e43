/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import dev.baton.cli.client.RunRef;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.RawTerminal;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton attach ID}: shows the screen of an interactive step, and types on it. */
@Command(
    name = "attach",
    description =
        "Open the screen of a run's interactive step in this terminal. Ctrl-B D detaches; the step"
            + " continues. Without a terminal, bytes are passed as they are, until the end of the"
            + " input.")
public final class AttachCommand implements Runnable {
  private static final Duration CLOSE = Duration.ofSeconds(5);
  private static final int CHUNK = 16 << 10;
  private static final int NORMAL = 1000;

  private final CommandContext context;

  @Parameters(paramLabel = "ID", description = "A run's id, or its last six characters.")
  private String id = "";

  @Option(names = "--step", description = "The step; needed where several are interactive.")
  private @Nullable String step;

  @Option(names = "--read-only", description = "Only look: nothing is typed.")
  private boolean readOnly;

  /** Orders the messages to the server: each waits until the one before it is sent. */
  private CompletableFuture<?> sent = CompletableFuture.completedFuture(null);

  public AttachCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    if (context.json()) {
      throw CliException.usage("attach has no JSON output");
    }
    String run = RunRef.parse(id).id(context.client());
    Optional<RawTerminal> raw = RawTerminal.open();
    AttachedTerminal.End end;
    try {
      end = attach(run, raw);
    } finally {
      raw.ifPresent(RawTerminal::close);
    }
    switch (end) {
      case AttachedTerminal.End.Closed(String reason) ->
          context
              .terminal()
              .err()
              .println(
                  reason.equals("detached")
                      ? "detached; the step continues"
                      : "the step has ended");
      case AttachedTerminal.End.Lost(String reason) ->
          throw CliException.of(
              CliExitCode.UNREACHABLE,
              "the terminal's connection ended: "
                  + reason
                  + "; if the run continues on another runner, attach again");
      case AttachedTerminal.End.Refused(String reason) ->
          throw CliException.of(
              CliExitCode.SERVER, "the server has closed the terminal: " + reason);
      case AttachedTerminal.End.NoReader() ->
          throw CliException.of(CliExitCode.PIPE, "the reader of the output is gone");
    }
  }

  private AttachedTerminal.End attach(String run, Optional<RawTerminal> raw) {
    Optional<RawTerminal.Size> size = raw.flatMap(RawTerminal::size);
    String path =
        UrlQueryBuilder.of("/runs/" + run + "/terminal")
            .with("step", step)
            .with("read_only", readOnly ? "true" : null)
            .with("columns", size.map(RawTerminal.Size::columns).map(String::valueOf).orElse(null))
            .with("rows", size.map(RawTerminal.Size::rows).map(String::valueOf).orElse(null))
            .with("term", raw.isPresent() ? context.environment().get("TERM") : null)
            .toString();
    AttachedTerminal terminal = new AttachedTerminal(context.terminal().trustedOut());
    WebSocket socket = context.client().webSocket(path, terminal);
    raw.ifPresent(
        window -> window.onResize(() -> window.size().ifPresent(now -> resize(socket, now))));
    if (!readOnly || raw.isPresent()) {
      Thread.ofPlatform().daemon().name("keys").start(() -> type(socket, terminal));
    }
    try {
      return terminal.end().get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CliException.of(CliExitCode.INTERRUPTED, "interrupted", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } finally {
      socket.abort();
    }
  }

  private synchronized void resize(WebSocket socket, RawTerminal.Size size) {
    String text = "{\"columns\": %d, \"rows\": %d}".formatted(size.columns(), size.rows());
    sent = sent.thenCompose(before -> socket.sendText(text, true));
  }

  private synchronized CompletableFuture<?> send(WebSocket socket, byte[] bytes) {
    CompletableFuture<WebSocket> next =
        sent.thenCompose(before -> socket.sendBinary(ByteBuffer.wrap(bytes), true));
    sent = next;
    return next;
  }

  /** Sends the keys until the end of the input, which detaches. */
  private void type(WebSocket socket, AttachedTerminal terminal) {
    InputStream in = context.terminal().in();
    byte[] chunk = new byte[CHUNK];
    try {
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        send(socket, java.util.Arrays.copyOf(chunk, n)).get();
      }
      socket.sendClose(NORMAL, "detached").get(CLOSE.toMillis(), TimeUnit.MILLISECONDS);
      terminal.end().complete(new AttachedTerminal.End.Closed("detached"));
    } catch (IOException | ExecutionException | TimeoutException e) {
      terminal
          .end()
          .complete(new AttachedTerminal.End.Lost("the input cannot be sent: " + e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
