/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.process.ProcessIdentity;
import dev.baton.standalone.process.ManagedProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * An additional process of a stack's service, see {@link StandaloneStack#replica}; used to test
 * replicas. Thread-safe.
 */
public final class ServiceReplica {
  private final StackComponent component;
  private final String url;
  private final ManagedProcess managed;

  ServiceReplica(StackComponent component, String url, ManagedProcess managed) {
    this.component = component;
    this.url = url;
    this.managed = managed;
  }

  /** Returns a port of 127.0.0.1 that is unused now. */
  public static int freePort() throws IOException {
    return new PortAllocator().choose();
  }

  /** Returns the URL of a service on that port. */
  public static String url(int port) {
    return StackAccess.url(port);
  }

  /** The service. */
  public StackComponent component() {
    return component;
  }

  /** Its name, also of its folder and its log: the component's label and the port. */
  public String name() {
    return managed.spec().name();
  }

  /** Its address, for HTTP and gRPC. */
  public String url() {
    return url;
  }

  /** Its data folder. */
  public Path data() {
    return managed.spec().directory();
  }

  /** Its process while it is alive. */
  public Optional<ProcessIdentity> process() {
    return managed.id();
  }

  /**
   * Starts it and waits until it is ready. Does nothing when it is running.
   *
   * @throws IOException when it ends or is not ready within two minutes; it is then not running
   */
  public void start() throws IOException, InterruptedException {
    managed.start();
  }

  /** Kills it with SIGKILL and waits until it is gone. It is not restarted automatically. */
  public void kill() throws InterruptedException {
    managed.kill();
  }

  /** Stops it cleanly; it stays down until it is started. */
  public void stop() throws IOException, InterruptedException {
    managed.stop();
  }

  /** Waits until it is ready; false when it is not within {@code bound}. */
  public boolean awaitReady(Duration bound) throws InterruptedException {
    return managed.awaitReady(bound);
  }

  void retire() throws IOException, InterruptedException {
    managed.retire();
  }
}
