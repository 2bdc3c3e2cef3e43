/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.containers;

import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.PortBinding;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;

/** Starts containers and removes them in reverse order. Not thread-safe. */
final class ContainerStack implements AutoCloseable {
  private static final int LOG_TAIL = 3_000;

  private final Map<String, GenericContainer<?>> started = new LinkedHashMap<>();

  /**
   * Starts a container with a name in a network and returns it when it is ready; removes it if it
   * is not within its bound.
   */
  GenericContainer<?> start(
      GenericContainer<?> container, Network network, String alias, PortBinding... ports) {
    container
        .withNetwork(network)
        .withNetworkAliases(alias)
        .withExposedPorts(
            Arrays.stream(ports)
                .map(port -> port.getExposedPort().getPort())
                .toArray(Integer[]::new))
        .withCreateContainerCmdModifier(
            create -> {
              Objects.requireNonNull(create.getHostConfig()).withPortBindings(ports);
              create.withExposedPorts(
                  Arrays.stream(ports)
                      .map(PortBinding::getExposedPort)
                      .toArray(ExposedPort[]::new));
            });
    try {
      container.start();
    } catch (RuntimeException e) {
      container.stop();
      throw e;
    }
    started.put(alias, container);
    return container;
  }

  /** The ends of the logs of all containers that still exist. */
  String logs() {
    return started.entrySet().stream()
        .map(
            entry -> {
              String log;
              try {
                log = entry.getValue().getLogs();
              } catch (RuntimeException e) {
                log = e.toString();
              }
              return entry.getKey() + ":\n" + log.substring(Math.max(0, log.length() - LOG_TAIL));
            })
        .collect(Collectors.joining("\n"));
  }

  @Override
  public void close() {
    Deque<GenericContainer<?>> newestFirst = new ArrayDeque<>();
    started.values().forEach(newestFirst::push);
    newestFirst.forEach(GenericContainer::stop);
    started.clear();
  }
}
