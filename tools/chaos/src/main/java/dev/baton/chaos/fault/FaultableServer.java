/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import dev.baton.process.ProcessIdentity;
import dev.baton.standalone.ServiceReplica;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A process of a stack that faults can hit: a component's own, or a replica's. */
public sealed interface FaultableServer {

  /** Returns all servers of a stack, the stack's own first. */
  static List<FaultableServer> of(StandaloneStack stack, List<ServiceReplica> replicas) {
    List<FaultableServer> servers = new ArrayList<>();
    for (StackComponent component : StackComponent.values()) {
      servers.add(new Own(stack, component));
    }
    replicas.forEach(replica -> servers.add(new Other(replica)));
    return servers;
  }

  /** The component that this is an instance of. */
  StackComponent component();

  /** Unique name; also the name of its folder in the stack's data. */
  String name();

  /** The process, while it is alive. */
  Optional<ProcessIdentity> process();

  /**
   * Sends SIGKILL and waits for the process's end.
   *
   * @throws IllegalStateException when it is not running
   */
  void kill() throws InterruptedException;

  /** Stops it if it is running, starts it, and waits until it is ready. */
  void restart() throws IOException, InterruptedException;

  /** Returns false when it is not ready within the bound. */
  boolean awaitReady(Duration bound) throws InterruptedException;

  /** The stack's own instance of a component. */
  record Own(StandaloneStack stack, StackComponent component) implements FaultableServer {
    @Override
    public String name() {
      return component.label();
    }

    @Override
    public Optional<ProcessIdentity> process() {
      return stack.process(component);
    }

    @Override
    public void kill() throws InterruptedException {
      stack.kill(component);
    }

    @Override
    public void restart() throws IOException, InterruptedException {
      stack.restart(component);
    }

    @Override
    public boolean awaitReady(Duration bound) throws InterruptedException {
      return stack.awaitReady(component, bound);
    }
  }

  /** An additional replica of a service. */
  record Other(ServiceReplica replica) implements FaultableServer {
    @Override
    public StackComponent component() {
      return replica.component();
    }

    @Override
    public String name() {
      return replica.name();
    }

    @Override
    public Optional<ProcessIdentity> process() {
      return replica.process();
    }

    @Override
    public void kill() throws InterruptedException {
      replica.kill();
    }

    @Override
    public void restart() throws IOException, InterruptedException {
      replica.stop();
      replica.start();
    }

    @Override
    public boolean awaitReady(Duration bound) throws InterruptedException {
      return replica.awaitReady(bound);
    }
  }
}
