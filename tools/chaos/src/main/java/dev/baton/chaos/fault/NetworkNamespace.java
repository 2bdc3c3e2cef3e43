/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import java.io.IOException;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;

/**
 * The network namespace of this process and its children, if it is separate from the host's: in it,
 * routing rules (iproute2) can drop the packets of a port, and TCP behaves as in a partition. Never
 * changes the network of the host. Thread-safe.
 */
public final class NetworkNamespace {
  /**
   * Variable in which the creator of this namespace names the original one, in the format of
   * /proc/self/ns/net.
   */
  public static final String OUTER = "BATON_OUTER_NETWORK";

  private final String missing;

  /** The dropped packets. */
  enum Direction {
    /** Packets of clients, and packets to them. */
    BOTH("dport", "sport"),
    /** Packets of clients. */
    TO("dport"),
    /** Packets to clients. */
    FROM("sport");

    private final List<String> selectors;

    Direction(String... selectors) {
      this.selectors = List.of(selectors);
    }
  }

  private NetworkNamespace(String missing) {
    this.missing = missing;
  }

  /** Finds the namespace of this process. */
  public static NetworkNamespace find() throws IOException, InterruptedException {
    String outer = System.getenv(OUTER);
    String here = Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString();
    if (outer == null || outer.equals(here) || !hasOnlyLoopback()) {
      return new NetworkNamespace(
          "this process is in the host's network; a separate one requires root");
    }
    // The rule for local addresses is first and cannot be preceded, so it is moved down.
    String said = rule("add", "pref 1000 lookup local");
    return new NetworkNamespace(said.isEmpty() ? rule("del", "pref 0") : said);
  }

  private static boolean hasOnlyLoopback() throws IOException {
    for (NetworkInterface device : Collections.list(NetworkInterface.getNetworkInterfaces())) {
      if (!device.isLoopback()) {
        return false;
      }
    }
    return true;
  }

  /** Returns why packets cannot be dropped; empty when they can. */
  String missing() {
    return missing;
  }

  /**
   * Drops all packets in that direction, from its return on. A new connection fails at once, or
   * hangs if only the responses are dropped.
   *
   * @param number unique number of this partition, from 1 to 900
   */
  void cut(int number, int port, Direction direction) throws IOException, InterruptedException {
    for (String selector : direction.selectors) {
      String which = "pref %d ipproto tcp %s %d unreachable".formatted(number, selector, port);
      check(rule("add", which));
    }
  }

  /** Lets packets pass again; connections continue when a side retransmits. */
  void heal(int number, Direction direction) throws IOException, InterruptedException {
    for (int i = 0; i < direction.selectors.size(); i++) {
      check(rule("del", "pref " + number));
    }
  }

  private static String rule(String verb, String which) throws InterruptedException {
    return SystemCommandExecutor.run(("ip rule " + verb + " " + which).split(" "));
  }

  private static void check(String said) throws IOException {
    if (!said.isEmpty()) {
      throw new IOException("cannot change a routing rule: " + said);
    }
  }
}
