//! Names the reconcile in each request that it makes, for `kubectl reconcile … -- COMMAND`.

use std::{
    env,
    sync::atomic::{AtomicU64, Ordering},
};

use http::{HeaderValue, Request};
use kube::{Client, Resource, ResourceExt, client::Body};

static RECONCILES: AtomicU64 = AtomicU64::new(1);

/// The client for one reconcile of an object: `exact::client(&context.client, "harbour", &*vessel)`.
pub fn client<K: Resource<DynamicType = ()>>(inner: &Client, controller: &str, object: &K) -> Client {
    if env::var_os("KUBECTL_RECONCILE_EXACT").is_none() {
        return inner.clone();
    }
    let (kind, namespace, name) = (K::kind(&()), object.namespace().unwrap_or_default(), object.name_any());
    let id = RECONCILES.fetch_add(1, Ordering::Relaxed);
    let text = format!("controller={controller}; object={kind} {namespace}/{name}; id={id}");
    let Ok(header) = HeaderValue::from_str(&text) else { return inner.clone() };
    let (default_namespace, inner) = (inner.default_namespace().to_owned(), inner.clone());
    let send = move |mut request: Request<Body>| {
        request.headers_mut().insert("reconcile", header.clone());
        let inner = inner.clone();
        async move { inner.send(request).await }
    };
    Client::new(tower::service_fn(send), default_namespace)
}
