/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.sandbox;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Decides to which addresses of a host the proxy of a sandbox may connect. Thread-safe. */
@FunctionalInterface
public interface AddressCheck {
  /**
   * Returns the permitted ones of a host's addresses.
   *
   * @throws UnknownHostException when there are none; the message names the setting
   */
  InetAddress[] check(String host, InetAddress[] addresses) throws UnknownHostException;
}
