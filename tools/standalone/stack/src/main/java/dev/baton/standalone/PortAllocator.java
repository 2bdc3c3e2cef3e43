/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Set;

/**
 * Selects unused ports of 127.0.0.1; none twice. A component listens on its port some time after
 * the selection, so each port is claimed for this process too: stacks that start at the same time
 * get different ones. Not thread-safe.
 */
final class PortAllocator {

  // Below the range from which systems take the ports of outgoing connections: a port that is free
  // now should also be free when its component is restarted.
  private static final int LOWEST = 18_000;
  private static final int HIGHEST = 32_000;
  private static final int ATTEMPTS = 500;

  private final SecureRandom random = new SecureRandom();
  private final PortClaimRegistry claims;
  private final Set<Integer> taken = new HashSet<>();

  PortAllocator() throws IOException {
    claims = PortClaimRegistry.ofProcess();
  }

  /**
   * Returns the first preferred port that is free, else another.
   *
   * @param preferred tried first, in order; 0 stands for none
   * @throws IOException when no free port was found
   */
  int choose(int... preferred) throws IOException {
    for (int port : preferred) {
      if (port > 0 && !taken.contains(port) && isFree(port)) {
        // Claimed by an earlier process of the same stack where it still runs.
        claims.claim(port);
        taken.add(port);
        return port;
      }
    }
    for (int i = 0; i < ATTEMPTS; i++) {
      int port = random.nextInt(LOWEST, HIGHEST);
      if (claims.claim(port) && isFree(port)) {
        taken.add(port);
        return port;
      }
    }
    throw new IOException("no free port between " + LOWEST + " and " + HIGHEST + " on 127.0.0.1");
  }

  /** Whether no process listens on the port. */
  static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
