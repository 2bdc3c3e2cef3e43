/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.stack.DataFolder;
import dev.baton.protocol.net.BearerCredential;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Finds the API key for a server. Never prints it. */
public final class ApiKeyResolver {
  private static final String KEY = "BATON_API_KEY";
  private static final String FILE = "BATON_API_KEY_FILE";
  private static final int MAX_BYTES = 64 << 10;

  private ApiKeyResolver() {}

  /**
   * Resolves the key: {@code --api-key-file}, else {@code $BATON_API_KEY}, else {@code
   * $BATON_API_KEY_FILE}, else, for the local stack only, the one that {@code baton up} has made.
   *
   * @return empty without any; the server then refuses most requests
   * @throws CliException when the file cannot be read or has no key
   */
  public static Optional<String> resolve(CommandContext context, ServerAddress server) {
    Path option = context.options().apiKeyFile();
    if (option != null) {
      return Optional.of(read(option, "--api-key-file"));
    }
    String key = context.environment().getOrDefault(KEY, "").strip();
    if (!key.isEmpty()) {
      return Optional.of(check(key, "$" + KEY));
    }
    String file = context.environment().getOrDefault(FILE, "").strip();
    if (!file.isEmpty()) {
      return Optional.of(read(Path.of(file), "$" + FILE));
    }
    return hasDataFolder(context) ? local(context.dataFolder(), server) : Optional.empty();
  }

  private static boolean hasDataFolder(CommandContext context) {
    return context.options().data() != null
        || !context.environment().getOrDefault("BATON_DATA", "").isBlank()
        || !context.environment().getOrDefault("HOME", "").isBlank();
  }

  /** Whether a server is that of the local stack. */
  static boolean isLocal(CommandContext context, ServerAddress server) {
    return hasDataFolder(context) && isLocal(context.dataFolder(), server);
  }

  private static boolean isLocal(DataFolder folder, ServerAddress server) {
    return folder
        .stack()
        .map(stack -> stack.url("orchestrator"))
        .filter(url -> url.equals(server.base().toString()))
        .isPresent();
  }

  /** Returns the key of a local stack; empty for another server than its own. */
  public static Optional<String> local(DataFolder folder, ServerAddress server) {
    Path file = folder.localKeyFile();
    return isLocal(folder, server) && Files.exists(file)
        ? Optional.of(read(file, "the local stack's key"))
        : Optional.empty();
  }

  private static String read(Path file, String origin) {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw CliException.usage("%s: %s is too large for a key".formatted(origin, file));
      }
      List<String> keys = BearerCredential.lines(Files.readString(file));
      if (keys.isEmpty()) {
        throw CliException.usage(
            "%s: %s has no key; allowed: a file with a key on a line".formatted(origin, file));
      }
      // In a file for servers, the roles of the key may follow it.
      String key = keys.getFirst().replaceFirst("(\\s+\\S+=\\w+)+$", "");
      return check(key, origin + ": " + file);
    } catch (IOException e) {
      throw CliException.usage("%s: %s cannot be read: %s".formatted(origin, file, e));
    }
  }

  /** Also tokens of steps are allowed, so only what no header can have is refused. */
  private static String check(String key, String origin) {
    if (!key.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw CliException.usage(origin + " is not an API key: it has spaces or other characters");
    }
    return key;
  }
}
