/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.stack.DataFolder;
import java.net.URI;
import java.net.URISyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * The orchestrator's address and its origin.
 *
 * @param base without a slash at its end
 * @param origin for messages: {@code --server}, {@code $BATON_SERVER} or the stack file
 */
public record ServerAddress(URI base, String origin) {
  public ServerAddress {
    if (!("http".equals(base.getScheme()) || "https".equals(base.getScheme()))
        || base.getHost() == null) {
      throw CliException.usage(
          "the server address '%s' (%s) is not http://HOST[:PORT] or https://HOST[:PORT]"
              .formatted(base, origin));
    }
  }

  /**
   * Resolves the address: {@code --server}, else {@code $BATON_SERVER}, else the stack of the data
   * folder.
   *
   * @throws CliException when none of these is set, or the value is not an address
   */
  public static ServerAddress resolve(CommandContext context) {
    String option = context.options().server();
    if (option != null) {
      return parse(option, "--server");
    }
    String variable = context.environment().get("BATON_SERVER");
    if (variable != null && !variable.isBlank()) {
      return parse(variable, "$BATON_SERVER");
    }
    DataFolder folder = context.dataFolder();
    String url = folder.stack().map(stack -> stack.url("orchestrator")).orElse(null);
    if (url == null) {
      throw CliException.of(
          CliExitCode.UNREACHABLE,
          "no server address: %s has no stack — start one with `./baton up`, or name one with --server URL"
              .formatted(folder.path()));
    }
    return parse(url, folder.stackFile().toString());
  }

  public static ServerAddress parse(String text, String origin) {
    @Nullable URI uri;
    try {
      uri = new URI(text.strip().replaceAll("/+$", ""));
    } catch (URISyntaxException e) {
      throw CliException.usage(
          "the server address '%s' (%s) is not a URL: %s".formatted(text, origin, e.getReason()));
    }
    return new ServerAddress(uri, origin);
  }

  URI resolve(String pathAndQuery) {
    return URI.create(base + pathAndQuery);
  }

  @Override
  public String toString() {
    return base.toString();
  }
}
