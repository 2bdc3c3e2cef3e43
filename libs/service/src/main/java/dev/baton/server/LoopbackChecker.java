/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Decides whether only programs of this host reach a port. */
public final class LoopbackChecker {
  private LoopbackChecker() {}

  /**
   * @param host to which the port is bound
   */
  public static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      // The server reports it when it binds; until then nothing is reachable.
      return false;
    }
  }
}
