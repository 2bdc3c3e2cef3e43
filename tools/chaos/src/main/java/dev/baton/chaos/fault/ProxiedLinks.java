/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The links between the parts of a stack that lead through proxies, by name. */
public record ProxiedLinks(Map<String, TcpProxy> proxies) implements AutoCloseable {
  /** Copies the map, in its order. */
  public ProxiedLinks {
    proxies = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(proxies));
  }

  /** Creates one proxy per name, without a target yet. */
  public static ProxiedLinks open(List<String> names) throws IOException {
    Map<String, TcpProxy> proxies = new LinkedHashMap<>();
    for (String name : names) {
      proxies.put(name, TcpProxy.open());
    }
    return new ProxiedLinks(proxies);
  }

  /**
   * @throws IllegalArgumentException for an unknown name
   */
  public TcpProxy get(String name) {
    TcpProxy proxy = proxies.get(name);
    if (proxy == null) {
      throw new IllegalArgumentException(name + " is not one of " + proxies.keySet());
    }
    return proxy;
  }

  String choose(int choice) {
    return List.copyOf(proxies.keySet()).get(choice % proxies.size());
  }

  void heal() {
    for (TcpProxy proxy : proxies.values()) {
      proxy.heal();
      proxy.delay(java.time.Duration.ZERO);
    }
  }

  @Override
  public void close() throws IOException {
    for (TcpProxy proxy : proxies.values()) {
      proxy.close();
    }
  }
}
