/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * Settings of a {@link DockerRunnerLauncher}.
 *
 * @param host {@code unix:///path} or {@code tcp://host:port}
 * @param installation 1 to 32 lower-case letters, digits and {@code -}; part of each container's
 *     name. Equal on all replicas, different for other installations on the same Docker host
 * @param container of the pools without settings of their own
 * @param pools by name
 * @param logFolder receives the end of each container's output before the container is removed
 * @param callTimeout of one request to Docker; 1s or more
 * @param relist interval of the check for exits whose event was lost
 */
public record DockerLauncherSettings(
    URI host,
    String installation,
    ContainerSettings container,
    Map<String, ContainerSettings> pools,
    Path logFolder,
    Duration callTimeout,
    Duration relist) {
  private static final String INSTALLATION = "[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?";

  public DockerLauncherSettings {
    pools = Map.copyOf(pools);
    logFolder = logFolder.toAbsolutePath().normalize();
    if (!isHost(host)) {
      throw new IllegalArgumentException(
          "'" + host + "' is not a Docker host; use unix:///path or tcp://host:port");
    }
    if (!installation.matches(INSTALLATION)) {
      throw new IllegalArgumentException(
          "'" + installation + "' is not the name of an installation; allowed: " + INSTALLATION);
    }
  }

  /** Whether the address is one of a Docker host that this launcher can reach. */
  public static boolean isHost(URI host) {
    return switch (String.valueOf(host.getScheme())) {
      case "unix" -> host.getPath() != null && host.getPath().length() > 1;
      case "tcp" -> host.getHost() != null && host.getPort() > 0;
      default -> false;
    };
  }

  /** Whether containers use the processors of this host. */
  boolean isLocal() {
    return "unix".equals(host.getScheme());
  }

  ContainerSettings of(String pool) {
    return pools.getOrDefault(pool, container);
  }
}
