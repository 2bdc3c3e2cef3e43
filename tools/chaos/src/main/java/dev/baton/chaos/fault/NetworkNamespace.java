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
 * The network of this process and of all that it has started, where that is one of its own: then
 * packets can be kept from a port by routing rules (iproute2), and TCP does what it does in a
 * partition. In the network of the whole machine nothing is ever changed. Thread-safe.
 */
public final class NetworkNamespace {
  /** In it whoever has made this network says from which, as /proc/self/ns/net has it. */
  public static final String OUTER = "BATON_OUTER_NETWORK";

  private final String missing;

  /** What does not get through. */
  enum Direction {
    /** Neither what clients send nor what they are sent. */
    BOTH("dport", "sport"),
    /** What clients send. */
    TO("dport"),
    /** What they are sent. */
    FROM("sport");

    private final List<String> selectors;

    Direction(String... selectors) {
      this.selectors = List.of(selectors);
    }
  }

  private NetworkNamespace(String missing) {
    this.missing = missing;
  }

  /** Of this process. */
  public static NetworkNamespace find() throws IOException, InterruptedException {
    String outer = System.getenv(OUTER);
    String here = Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString();
    if (outer == null || outer.equals(here) || !hasOnlyLoopback()) {
      return new NetworkNamespace(
          "this is the network of the whole machine; root gets one of its own");
    }
    // The rule that finds local addresses comes first, and cannot be preceded: it is moved down.
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

  /** Why nothing can be cut here; empty when it can. */
  String missing() {
    return missing;
  }

  /**
   * From when this returns no packet in that direction gets through. A new connection fails at
   * once, or hangs where only the answers are kept back.
   *
   * @param number of this partition, from 1 to 900; none else has it
   */
  void cut(int number, int port, Direction direction) throws IOException, InterruptedException {
    for (String selector : direction.selectors) {
      String which = "pref %d ipproto tcp %s %d unreachable".formatted(number, selector, port);
      check(rule("add", which));
    }
  }

  /** Packets get through again; connections go on when one side sends anew. */
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
      throw new IOException("a routing rule could not be changed: " + said);
    }
  }
}
