/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How the containers of one pool are created.
 *
 * @param image name with tag or digest
 * @param command arguments after the entry point of the image; empty: those of the image
 * @param network name of the Docker network; absent: the default network of the Docker host
 * @param memoryBytes limit of the container, without swap; files in memory count
 * @param cpus limit in processors; 0: no limit
 * @param pids limit of processes and threads
 * @param isReadOnly whether only {@code tmpfs} and volumes can be written
 * @param tmpfs by path: mount options of a file system in memory
 * @param environment further variables; those of the runner's specification come first
 * @param volumes {@code <source>:<path>} or {@code <source>:<path>:ro}
 * @param hasInit whether Docker adds its init program; the images of Baton contain one
 * @param isPulled whether an image that is missing on the Docker host is pulled
 */
public record ContainerSettings(
    String image,
    List<String> command,
    Optional<String> network,
    long memoryBytes,
    double cpus,
    long pids,
    boolean isReadOnly,
    Map<String, String> tmpfs,
    Map<String, String> environment,
    List<String> volumes,
    boolean hasInit,
    boolean isPulled) {
  public ContainerSettings {
    command = List.copyOf(command);
    tmpfs = Map.copyOf(tmpfs);
    environment = Map.copyOf(environment);
    volumes = List.copyOf(volumes);
  }
}
