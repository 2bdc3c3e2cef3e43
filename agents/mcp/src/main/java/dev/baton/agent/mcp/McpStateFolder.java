/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.process.StateText;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where the state of servers is, below the home of the agent, so that checkpoints capture both
 * together: {@code .baton-mcp/NAME/files} is the server's own folder, {@code
 * .baton-mcp/NAME/state.json} the newest content of its resource {@code checkpoint://state}.
 */
public final class McpStateFolder {
  private static final Path ROOT = Path.of(".baton-mcp");
  private static final String FILES = "files";
  private static final String STATE = "state.json";

  private final Path home;

  /**
   * @param home of the agent
   */
  public McpStateFolder(Path home) {
    this.home = home;
  }

  /** The folder in which a server keeps files. */
  public Path files(String server) {
    return home.resolve(ROOT).resolve(server).resolve(FILES);
  }

  private Path state(String server) {
    return home.resolve(ROOT).resolve(server).resolve(STATE);
  }

  /** Whether a path relative to the home is in the folder of a server, state or not. */
  public static boolean contains(Path relative) {
    return relative.startsWith(ROOT);
  }

  /**
   * Whether a file, by its path relative to the home, is captured.
   *
   * @param servers by name: the files that are state, as globs relative to the server's folder
   */
  public static boolean isState(Path relative, Map<String, List<String>> servers) {
    if (!contains(relative) || relative.getNameCount() < 3) {
      return false;
    }
    List<String> globs = servers.get(relative.getName(1).toString());
    if (globs == null) {
      return false;
    }
    Path rest = relative.subpath(2, relative.getNameCount());
    if (!rest.startsWith(FILES) || rest.getNameCount() == 1) {
      return rest.equals(Path.of(STATE));
    }
    Path file = rest.subpath(1, rest.getNameCount());
    return globs.stream()
        .anyMatch(glob -> FileSystems.getDefault().getPathMatcher("glob:" + glob).matches(file));
  }

  /** Creates the folder of a server's files. */
  void create(String server) throws IOException {
    Files.createDirectories(files(server));
  }

  /** Replaces the state of a server. */
  void write(String server, JsonNode content) throws IOException {
    StateText.write(state(server), content.toString());
  }

  /** Reads the state that was written last, or restored; empty for none. */
  Optional<JsonNode> read(String server) throws IOException {
    Path file = state(server);
    if (!Files.isRegularFile(file)) {
      return Optional.empty();
    }
    try {
      return Optional.of(Json.mapper().readTree(Files.readString(file)));
    } catch (JsonProcessingException e) {
      throw new IOException(file + " is damaged: " + e.getOriginalMessage(), e);
    }
  }
}
