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
import dev.baton.protocol.tls.TlsFailure;
import dev.baton.protocol.tls.TlsSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Takes what the command trusts and presents from {@code BATON_TLS_TRUST}, {@code
 * BATON_TLS_CERTIFICATE} and {@code BATON_TLS_KEY}, as services and runners do, or from the local
 * stack.
 */
public final class TlsSettingsResolver {
  private static final Map<String, String> VARIABLES =
      Map.of(
          TlsSettings.TRUST,
          "BATON_TLS_TRUST",
          TlsSettings.CERTIFICATE,
          "BATON_TLS_CERTIFICATE",
          TlsSettings.KEY,
          "BATON_TLS_KEY");

  private TlsSettingsResolver() {}

  /**
   * Returns the settings for a server: those of the variables, else, for the local stack only, the
   * authority and the certificate that {@code baton up --tls} has made.
   *
   * @throws CliException that names the variable
   */
  public static TlsSettings resolve(CommandContext context, ServerAddress server) {
    Map<String, String> environment = context.environment();
    boolean configured =
        VARIABLES.values().stream().anyMatch(name -> !environment.getOrDefault(name, "").isBlank());
    try {
      if (configured) {
        return TlsSettings.read(
            key -> Optional.ofNullable(environment.get(VARIABLES.getOrDefault(key, ""))));
      }
      return "https".equals(server.base().getScheme()) && ApiKeyResolver.isLocal(context, server)
          ? local(context.dataFolder())
          : TlsSettings.NONE;
    } catch (IllegalArgumentException e) {
      throw CliException.usage(named(String.valueOf(e.getMessage())));
    }
  }

  private static TlsSettings local(DataFolder folder) {
    Map<String, Path> files =
        Map.of(
            TlsSettings.TRUST,
            folder.tlsFile("ca.pem"),
            TlsSettings.CERTIFICATE,
            folder.tlsFile("client.pem"),
            TlsSettings.KEY,
            folder.tlsFile("client.key"));
    return TlsSettings.read(
        key -> Optional.ofNullable(files.get(key)).filter(Files::exists).map(Path::toString));
  }

  /** Returns why the connection failed and what to correct. */
  static String advice(TlsFailure failure) {
    return named(failure.advice("the server address"));
  }

  private static String named(String text) {
    String named = text;
    for (Map.Entry<String, String> variable : VARIABLES.entrySet()) {
      named = named.replace(variable.getKey(), "$" + variable.getValue());
    }
    return named;
  }
}
