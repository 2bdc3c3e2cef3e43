/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.codex;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.process.StateText;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The folder by which the commands of Codex's hooks reach the driver: each command leaves its event
 * as a file, and waits for a line from the pipe next to it. Thread-safe.
 */
final class CodexHookFolder implements AutoCloseable {
  /**
   * The command of all hooks; its argument is the folder. It opens its pipe for both directions, so
   * that neither side waits for the other one. A call or a request that the driver cannot answer is
   * refused by the exit code.
   */
  private static final String SCRIPT =
      """
      # Passes an event of Codex to the driver, and waits for the line to answer with.
      f="$1/$$"
      rm -f "$f" "$f.json"
      mkfifo "$f" && exec 3<>"$f" && cat > "$f.tmp" && mv "$f.tmp" "$f.json" && read -r answer <&3
      result=$?
      rm -f "$f"
      if [ $result -ne 0 ]; then
        echo "the driver of the agent cannot be reached" >&2
        exit 2
      fi
      printf '%s\\n' "$answer"
      """;

  private static final String EVENT = ".json";

  private final Path folder;
  private final WatchService watch;

  private CodexHookFolder(Path folder, WatchService watch) {
    this.folder = folder;
    this.watch = watch;
  }

  /** Creates the folder and the command of the hooks; removes what an earlier process has left. */
  static CodexHookFolder create(CodexHome home) throws IOException {
    StateText.delete(home.hooks());
    Files.createDirectories(home.hooks());
    StateText.write(home.hookScript(), SCRIPT);
    WatchService watch = home.hooks().getFileSystem().newWatchService();
    try {
      home.hooks().register(watch, StandardWatchEventKinds.ENTRY_CREATE);
    } catch (IOException e) {
      watch.close();
      throw e;
    }
    return new CodexHookFolder(home.hooks(), watch);
  }

  /**
   * Follows the folder in a thread of its own, until it is closed.
   *
   * @param event receives the name of each command and its event
   * @param failed receives why the folder cannot be followed
   */
  void follow(BiConsumer<String, JsonNode> event, Consumer<IOException> failed) {
    Thread.ofVirtual()
        .name("codex-hooks")
        .start(
            () -> {
              try {
                while (true) {
                  WatchKey key = watch.take();
                  key.pollEvents();
                  scan(event);
                  if (!key.reset()) {
                    throw new IOException(folder + " was deleted");
                  }
                }
              } catch (IOException e) {
                failed.accept(e);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              } catch (ClosedWatchServiceException e) {
                // The session has ended.
              }
            });
  }

  private void scan(BiConsumer<String, JsonNode> event) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + EVENT)) {
      for (Path file : files) {
        JsonNode json = Json.mapper().readTree(Files.readAllBytes(file));
        Files.delete(file);
        String name = file.getFileName().toString();
        event.accept(name.substring(0, name.length() - EVENT.length()), json);
      }
    }
  }

  /**
   * Answers a command, which ends then; no effect when it has ended.
   *
   * @param name as {@link #follow} has passed it
   */
  void answer(String name, JsonNode answer) throws IOException {
    Path pipe = folder.resolve(name);
    if (!Files.exists(pipe)) {
      return;
    }
    // Opened for both directions, which never waits for a reader.
    try (RandomAccessFile out = new RandomAccessFile(pipe.toFile(), "rw")) {
      out.write((answer + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }

  @Override
  public void close() throws IOException {
    watch.close();
  }
}
