/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.secrets;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Where Vault is, and how the runner authenticates.
 *
 * @param address https, or http on this machine; without a path
 * @param namespace of Vault Enterprise
 * @param tokenFile has a token of Vault; with a role, that of the pod's service account
 * @param kubernetesRole as which the runner logs in with the service account's token
 * @param kubernetesMount of the Kubernetes auth method
 */
public record VaultSettings(
    URI address,
    Optional<String> namespace,
    Path tokenFile,
    Optional<String> kubernetesRole,
    String kubernetesMount) {
  /** The key of the address. */
  public static final String ADDRESS = "baton.secrets.vault.address";

  /** The key of the file with the token. */
  public static final String TOKEN_FILE = "baton.secrets.vault.token-file";

  private static final String NAMESPACE = "baton.secrets.vault.namespace";
  private static final String ROLE = "baton.secrets.vault.kubernetes-role";
  private static final String MOUNT = "baton.secrets.vault.kubernetes-mount";
  private static final List<String> LOOPBACK = List.of("localhost", "127.0.0.1", "[::1]");

  /**
   * Reads the settings; empty when none is set.
   *
   * @param values returns the value of a key, if it is set
   * @throws IllegalArgumentException that names the key and what is allowed
   */
  public static Optional<VaultSettings> read(Function<String, Optional<String>> values) {
    Function<String, Optional<String>> set =
        key -> values.apply(key).map(String::strip).filter(text -> !text.isEmpty());
    Optional<String> address = set.apply(ADDRESS);
    Optional<String> file = set.apply(TOKEN_FILE);
    if (address.isEmpty()) {
      for (String key : List.of(TOKEN_FILE, NAMESPACE, ROLE, MOUNT)) {
        if (set.apply(key).isPresent()) {
          throw new IllegalArgumentException(key + " needs " + ADDRESS);
        }
      }
      return Optional.empty();
    }
    if (file.isEmpty()) {
      throw new IllegalArgumentException(
          ADDRESS + " needs " + TOKEN_FILE + ", the absolute path of a file with a token");
    }
    if (!file.get().startsWith("/")) {
      throw new IllegalArgumentException(
          "%s: '%s' is not an absolute path".formatted(TOKEN_FILE, file.get()));
    }
    return Optional.of(
        new VaultSettings(
            address(address.get()),
            header(NAMESPACE, set.apply(NAMESPACE)),
            Path.of(file.get()),
            set.apply(ROLE),
            path(set.apply(MOUNT).orElse("kubernetes"))));
  }

  private static URI address(String text) {
    try {
      URI address = URI.create(text.replaceAll("/+$", ""));
      boolean secure = "https".equals(address.getScheme());
      boolean local = "http".equals(address.getScheme()) && LOOPBACK.contains(address.getHost());
      if ((secure || local)
          && address.getHost() != null
          && address.getRawPath().isEmpty()
          && address.getRawQuery() == null
          && address.getUserInfo() == null) {
        return address;
      }
    } catch (IllegalArgumentException notAnAddress) {
      // Reported below, as other addresses that are not allowed.
    }
    throw new IllegalArgumentException(
        ADDRESS
            + ": allowed is https://host:port, or http:// with a host of this machine, without a path");
  }

  private static Optional<String> header(String key, Optional<String> text) {
    if (text.isPresent() && !text.get().matches("[\\x21-\\x7e]+")) {
      throw new IllegalArgumentException(key + ": '" + text.get() + "' has other characters");
    }
    return text;
  }

  private static String path(String text) {
    if (!text.matches("[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*")) {
      throw new IllegalArgumentException(
          "%s: '%s' is not a mount, such as kubernetes".formatted(MOUNT, text));
    }
    return text;
  }
}
